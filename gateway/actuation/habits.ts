import type { Actuation, FieldTrack } from '../domain/actuation.ts';
import { messageOf } from '../domain/errors.ts';
import { type Habit, learn, sightingOf, usualMs, type Window, windowOf } from '../domain/habit.ts';
import type { Log } from '../domain/log.ts';
import type { Collection } from '../domain/store.ts';
import { Turns } from '../domain/turns.ts';

/** What has been learned of how long each field of each device takes to act. It outlives the process. */
export class Habits {
  readonly #kept: Collection<Habit>;
  readonly #log: Log;
  /** A sighting is added to what the one before left, which is seen only once it is on disk. */
  readonly #learning = new Turns();

  constructor(kept: Collection<Habit>, log: Log) {
    this.#kept = kept;
    this.#log = log;
  }

  /** When to look closely at the first of these fields that is to be expected; null where nothing is known. */
  expected(deviceId: string, tracks: readonly FieldTrack[]): Window | null {
    const windows = tracks.flatMap((track) => {
      const habit = this.#kept.get(key(deviceId, track.field));
      return habit ? [windowOf(habit)] : [];
    });
    return windows.toSorted((a, b) => a.fromMs - b.fromMs)[0] ?? null;
  }

  /** How long a command of these fields usually takes, in ms: as long as its slowest; null where one is not known. */
  usualMs(deviceId: string, fields: readonly string[]): number | null {
    const times = fields.map((field) => this.#kept.get(key(deviceId, field))).map((habit) => habit && usualMs(habit));
    return times.every((time) => time !== undefined) && times.length > 0 ? Math.max(...times) : null;
  }

  /** Takes from a settled command what it tells. Nothing depends on it: what cannot be stored is only said. */
  learnFrom(actuation: Actuation): void {
    for (const track of actuation.fields) {
      if (track.ruling?.verdict !== 'verified' || actuation.restarts > 0) continue;
      const sighting = sightingOf(track);
      if (!sighting) continue;
      const name = key(actuation.deviceId, track.field);
      this.#learning
        .take(name, () => this.#kept.put(name, learn(this.#kept.get(name), sighting)))
        .catch((error: unknown) => {
          this.#log.warn({ field: name, error: messageOf(error) }, 'what was learned could not be stored');
        });
    }
  }
}

/** The device that a habit of this key is of. */
export function deviceOfHabit(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

function key(deviceId: string, field: string): string {
  return `${deviceId} ${field}`;
}

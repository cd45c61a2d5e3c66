import type { Device } from '../domain/device.ts';
import { type Aftermath, type Drifted, driftsIn, unwatch, type Watch } from '../domain/drift.ts';
import { messageOf } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import type { Reading } from '../domain/reading.ts';
import type { Collection } from '../domain/store.ts';
import type { Clock } from '../domain/time.ts';
import { Turns } from '../domain/turns.ts';
import { refresh } from './look.ts';

/**
 * Gaps between the looks at a device that does not speak by itself, as parts of the watch; the last one repeats. Of two
 * minutes: 5, 10, 15 and then every 30 seconds.
 */
const LOOKS = [1 / 24, 1 / 12, 1 / 8, 1 / 4];

/** Another look within this part of the gap is as good. */
const FRESH = 0.4;
const PATIENCE_MS = 5_000;

/** What a drift watch needs of the engine. */
export interface DriftHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly aftermaths: Collection<Aftermath>;
  readonly drifted: (event: Drifted) => void;
}

/** Watches the verified fields of one device for a while: a value that does not last is told, without a new verdict. */
export class DriftWatch {
  readonly #device: () => Device;
  readonly #host: DriftHost;
  /** What is kept of a task is seen only once it is on disk, and what drifts next is added to that. */
  readonly #keeping = new Turns();
  #watches: readonly Watch[] = [];
  #cancelLook: () => void = () => {};
  #looks = 0;

  constructor(device: () => Device, host: DriftHost) {
    this.#device = device;
    this.#host = host;
  }

  begin(watch: Watch): void {
    this.#release(watch.fields.map(({ field }) => field));
    this.#watches = [...this.#watches, watch];
    this.#looks = 0;
    this.#planLook();
  }

  /** A newer command is about to change these fields: what they do from now on is its story. */
  release(fields: readonly string[]): void {
    const { sideEffects } = this.#device().spec;
    this.#release([...fields, ...fields.flatMap((field) => sideEffects[field] ?? [])]);
  }

  hear(reading: Reading): void {
    for (const watch of this.#watches) {
      const drifts = driftsIn(watch, reading);
      if (drifts.length === 0) continue;
      this.#replace(
        watch,
        drifts.map(({ field }) => field),
      );
      this.#keep(watch.taskId, drifts).catch((error: unknown) =>
        this.#host.log.error({ task: watch.taskId, error: messageOf(error) }, 'a drift could not be stored'),
      );
    }
  }

  stop(): void {
    this.#cancelLook();
    this.#watches = [];
  }

  #release(fields: readonly string[]): void {
    for (const watch of this.#watches) this.#replace(watch, fields);
  }

  #replace(watch: Watch, without: readonly string[]): void {
    const left = unwatch(watch, without);
    this.#watches = this.#watches.flatMap((each) => (each === watch ? (left ? [left] : []) : [each]));
  }

  #keep(taskId: string, drifts: readonly Drifted[]): Promise<void> {
    const { aftermaths, drifted } = this.#host;
    return this.#keeping.take(taskId, async () => {
      await aftermaths.put(taskId, { taskId, events: [...(aftermaths.get(taskId)?.events ?? []), ...drifts] });
      for (const event of drifts) drifted(event);
    });
  }

  #planLook(): void {
    const { clock } = this.#host;
    const gapMs = this.#device().spec.verify.watchMs * (LOOKS[Math.min(this.#looks, LOOKS.length - 1)] ?? 1);
    this.#cancelLook();
    this.#cancelLook = clock.at(clock.now().mono + gapMs, () => void this.#look(FRESH * gapMs));
  }

  async #look(freshMs: number): Promise<void> {
    const { clock } = this.#host;
    this.#watches = this.#watches.filter((watch) => clock.now().mono <= watch.until);
    if (this.#watches.length === 0) return;
    this.#looks += 1;
    await refresh(this.#device(), clock, { maxAgeMs: freshMs, patienceMs: PATIENCE_MS, urgent: false });
    this.#planLook();
  }
}

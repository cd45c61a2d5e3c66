import type { Agenda } from './agenda.ts';
import type { Clock } from './clock.ts';
import type { DeviceModel, FieldValue, State } from './model.ts';
import { travelled } from './travel.ts';

/** On whose behalf something moves. */
export interface Motion {
  /** The command behind it; null where somebody used the device's own buttons. */
  readonly command: number | null;
  /** How long after each change the device tells of it; null: not at all. */
  readonly tellsAfterMs: number | null;
}

/** What one step of a motion did. */
export interface Moved {
  readonly motion: Motion;
  /** Every field it touched, those that stood there already too. */
  readonly touched: readonly string[];
  readonly changes: Readonly<Record<string, { readonly from: FieldValue; readonly to: FieldValue }>>;
}

/** What really moves in a device: its true state, and the motion that each field obeys, which is the newest. */
export class Mechanism {
  readonly #model: DeviceModel;
  readonly #clock: Clock;
  readonly #agenda: Agenda;
  readonly #moved: (moved: Moved) => void;
  readonly #owners = new Map<string, Motion>();
  #state: State;
  /** Counts journeys: a newer one ends what is left of an older one. */
  #journey = 0;

  constructor(model: DeviceModel, world: { clock: Clock; agenda: Agenda; moved: (moved: Moved) => void }) {
    this.#model = model;
    this.#clock = world.clock;
    this.#agenda = world.agenda;
    this.#moved = world.moved;
    this.#state = model.start;
  }

  get state(): State {
    return this.#state;
  }

  /** These fields obey this motion from now on. What is left of older ones no longer touches them. */
  own(motion: Motion, names: readonly string[]): void {
    const { travel } = this.#model;
    const travels = travel && (names.includes(travel.field) || names.includes(travel.sign));
    for (const name of travels ? [...names, travel.field, travel.sign] : names) this.#owners.set(name, motion);
  }

  /** One step of a motion: what it still owns goes where it is wanted, at once or by travelling there. */
  apply(motion: Motion, wanted: State): void {
    const owned = this.#owned(motion, wanted);
    const bits = travelled(this.#model, this.#state, owned);
    if (!bits) {
      this.#change(motion, owned);
      return;
    }
    const journey = ++this.#journey;
    const { mono } = this.#clock.now();
    for (const { afterMs, changes } of bits) {
      if (afterMs === 0) this.#change(motion, changes);
      else {
        this.#agenda.add(mono + afterMs, () => {
          if (this.#journey === journey) this.#change(motion, this.#owned(motion, changes));
        });
      }
    }
  }

  /** Back to the start. */
  reset(): void {
    this.#owners.clear();
    this.#journey += 1;
    this.#state = this.#model.start;
  }

  #owned(motion: Motion, wanted: State): State {
    return Object.fromEntries(Object.entries(wanted).filter(([name]) => this.#owners.get(name) === motion));
  }

  #change(motion: Motion, owned: State): void {
    const touched = Object.keys(owned);
    if (touched.length === 0) return;
    const before = this.#state;
    this.#state = { ...before, ...owned };
    const changes = Object.fromEntries(
      Object.entries(owned).flatMap(([name, to]) => {
        const from = before[name];
        return from === undefined || from === to ? [] : [[name, { from, to }]];
      }),
    );
    this.#moved({ motion, touched, changes });
  }
}

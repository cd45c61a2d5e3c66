import type { Clock } from './clock.ts';

interface Item {
  readonly mono: number;
  readonly run: () => void;
}

/**
 * What a device has still to do. Items run in the order of their times, and in the order in which they were added where
 * the times are equal: separate timers would not promise that.
 */
export class Agenda {
  readonly #clock: Clock;
  #items: Item[] = [];
  #disarm: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns a function that takes the item off again */
  add(mono: number, run: () => void): () => void {
    const item: Item = { mono, run };
    const later = this.#items.findIndex((other) => other.mono > mono);
    this.#items.splice(later < 0 ? this.#items.length : later, 0, item);
    this.#arm();
    return () => {
      this.#items = this.#items.filter((other) => other !== item);
      this.#arm();
    };
  }

  /** Takes everything off. */
  clear(): void {
    this.#items = [];
    this.#arm();
  }

  #arm(): void {
    this.#disarm?.();
    const next = this.#items[0];
    this.#disarm = next ? this.#clock.at(next.mono, () => this.#runDue()) : null;
  }

  #runDue(): void {
    const { mono } = this.#clock.now();
    for (let next = this.#items[0]; next && next.mono <= mono; next = this.#items[0]) {
      this.#items.shift();
      next.run();
    }
    this.#arm();
  }
}

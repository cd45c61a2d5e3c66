import type { Clock, Moment } from '../../simulator/core/clock.ts';

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #mono = 5_000;
  #waiting: { readonly mono: number; readonly run: () => void }[] = [];

  now(): Moment {
    return { mono: this.#mono, wall: 1_700_000_000_000 + this.#mono };
  }

  at(mono: number, run: () => void): () => void {
    const waiting = { mono, run };
    this.#waiting.push(waiting);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
    };
  }

  /** Goes on by this much, running everything that falls due on the way at its own time. */
  advance(ms: number): void {
    const end = this.#mono + ms;
    for (;;) {
      const due = this.#waiting.filter(({ mono }) => mono <= end).sort((a, b) => a.mono - b.mono)[0];
      if (!due) break;
      this.#waiting = this.#waiting.filter((other) => other !== due);
      this.#mono = Math.max(this.#mono, due.mono);
      due.run();
    }
    this.#mono = end;
  }

  get waiting(): number {
    return this.#waiting.length;
  }
}

import { randomUUID } from 'node:crypto';
import type { Clock, Instant } from '../../gateway/domain/time.ts';

/** How often it is looked at what is due, in real ms. */
const BEAT_MS = 1;

/** The most that passes between two looks, in ms; what a busy machine takes beyond it does not count. */
const LONGEST_STEP_MS = 2;

interface Due {
  readonly mono: number;
  run(): void;
}

/**
 * A clock that stands still while the process does not get to run. Situations are played faster than real, so a pause of
 * 50 ms would be half a second of theirs, and a report would come after a deadline that it should have met. The gateway
 * and the scripted device share it: however busy the machine is, what is due earlier happens earlier.
 */
export class SteadyClock implements Clock {
  readonly boot: string = randomUUID();
  #due: readonly Due[] = [];
  #time = 0;
  #lookedAt = performance.now();
  #beat: NodeJS.Timeout | undefined;

  start(): void {
    this.#beat = setInterval(() => this.#run(), BEAT_MS);
  }

  stop(): void {
    clearInterval(this.#beat);
    this.#due = [];
  }

  now(): Instant {
    const real = performance.now();
    this.#time += Math.min(real - this.#lookedAt, LONGEST_STEP_MS);
    this.#lookedAt = real;
    return { mono: this.#time, wall: Date.now() };
  }

  at(mono: number, run: () => void): () => void {
    const due = { mono, run };
    const index = this.#due.findIndex((other) => other.mono > mono);
    this.#due = index < 0 ? [...this.#due, due] : this.#due.toSpliced(index, 0, due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  #run(): void {
    const { mono } = this.now();
    for (;;) {
      const [first, ...rest] = this.#due;
      if (!first || first.mono > mono) return;
      this.#due = rest;
      first.run();
    }
  }
}

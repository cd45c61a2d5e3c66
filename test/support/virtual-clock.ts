import { type Clock, type Instant, instant } from '../../gateway/domain/time.ts';

interface Timer {
  readonly mono: number;
  readonly run: () => void;
}

/** Time that passes only when a test lets it. */
export class VirtualClock implements Clock {
  readonly boot: string;
  #mono = 0;
  #wallAtZero = Date.UTC(2026, 10, 30);
  readonly #timers = new Set<Timer>();

  constructor(boot = 'boot-1') {
    this.boot = boot;
  }

  now(): Instant {
    return instant(this.#mono, this.#wallAtZero + this.#mono, 0);
  }

  /** Sets the wall clock: it goes on from this time (ms since 1970). */
  setWall(wall: number): void {
    this.#wallAtZero = wall - this.#mono;
  }

  at(mono: number, run: () => void): () => void {
    const timer = { mono, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets `ms` pass: every timer fires at its time, and what it set going has its turn before the next one. */
  async pass(ms: number): Promise<void> {
    const end = this.#mono + ms;
    await quiet();
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.mono <= end).sort((a, b) => a.mono - b.mono)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#mono = Math.max(this.#mono, due.mono);
      due.run();
      await quiet();
    }
    this.#mono = end;
  }
}

/** Lets everything that is ready run: promises, and I/O callbacks of stores in memory. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

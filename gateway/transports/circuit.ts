import type { Clock } from '../domain/time.ts';

/** Failures in a row after which a device counts as gone. */
const FAILURES = 3;

/** The pause before a request may try again, in ms; each failure doubles it, up to the longest. */
const PAUSE = { firstMs: 1_000, longestMs: 15_000 } as const;

/** Notes what became of a request that was let through. @param fault why no answer came; undefined where one did */
export type Note = (fault: string | undefined) => void;

/**
 * Keeps a device that does not answer from being asked by everybody: after three failures in a row only one request at a
 * time gets through, after a pause that grows to 15 s, and the first answer ends that. It makes no request of its own:
 * whoever asks when the pause is over is the probe.
 *
 * What is urgent passes in any case: commands, and the questions on which their verdicts rest. They are few, each has its
 * deadline, and a verdict may say "unreachable" only of a device that was tried.
 */
export class Circuit {
  readonly #clock: Clock;
  #failures = 0;
  #lastFault = '';
  #probing = false;
  /** On `mono`. */
  #nextTryAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns how to note what becomes of the request, or why it must not be made */
  admit(urgent: boolean): Note | string {
    if (urgent || this.#failures < FAILURES) return (fault) => this.#note(fault);
    const waitMs = this.#nextTryAt - this.#clock.now().mono;
    if (this.#probing || waitMs > 0) return this.#refusal(waitMs);
    this.#probing = true;
    return (fault) => {
      this.#probing = false;
      this.#note(fault);
    };
  }

  /** The device was heard on another way. */
  heard(): void {
    this.#note(undefined);
  }

  #note(fault: string | undefined): void {
    if (fault === undefined) {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    this.#lastFault = fault;
    const pauseMs = PAUSE.firstMs * 2 ** Math.max(0, this.#failures - FAILURES);
    this.#nextTryAt = this.#clock.now().mono + Math.min(pauseMs, PAUSE.longestMs);
  }

  #refusal(waitMs: number): string {
    const when = this.#probing ? 'one is under way' : `the next one may leave in ${Math.ceil(waitMs / 1000)} s`;
    return `not asked: the last ${this.#failures} attempts failed (${this.#lastFault}); ${when}`;
  }
}

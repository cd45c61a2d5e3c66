import { setTimeout as delay } from 'node:timers/promises';

/** The first wait after a failure, and the longest, in ms. */
const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** Waits that double from failure to failure, and differ a little, so that many clients do not come back at once. */
export class BackOff {
  #nextMs = FIRST_MS;

  /**
   * Waits its time, or until `signal` aborts.
   * @param mostMs no longer than this, in ms
   */
  async wait(signal: AbortSignal, mostMs = LONGEST_MS): Promise<void> {
    const ms = this.#nextMs * (0.75 + Math.random() / 2);
    this.#nextMs = Math.min(2 * this.#nextMs, LONGEST_MS);
    await delay(Math.min(ms, Math.max(0, mostMs)), undefined, { signal }).catch(() => {});
  }

  /** It went well: the next failure is a first one. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }
}

/**
 * One moment on two clocks. Deadlines are computed on `mono` alone: a Raspberry Pi boots in 1970 and jumps when NTP
 * arrives, so `wall` is only ever shown to people.
 */
export interface Instant {
  /** Milliseconds on the machine's monotonic clock. Comparable only within one boot. */
  readonly mono: number;
  /** Milliseconds since 1970 on the wall clock. For people; never for arithmetic. */
  readonly wall: number;
  /** There where the wall clock had certainly not been set yet: what it said is no date. */
  readonly clock?: 'unset';
}

/** The port through which time reaches the gateway; tests put a virtual clock here. */
export interface Clock {
  now(): Instant;
  /** Identifies the run of the monotonic clock: values of `mono` from different boots cannot be compared. */
  readonly boot: string;
  /**
   * Calls `run` once, at `mono` or as soon after it as possible.
   * @returns a function that calls it off
   */
  at(mono: number, run: () => void): () => void;
}

/** ISO 8601 in UTC, as every protocol of the gateway prints an instant. */
export function iso(instant: Instant): string {
  return new Date(instant.wall).toISOString();
}

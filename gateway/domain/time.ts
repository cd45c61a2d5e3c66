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

/** No wall clock that is set stands before this: the oldest Node that runs the gateway is of that day. */
export const EARLIEST_MS = Date.UTC(2025, 2, 13);

/** A clock may have been ahead for a while: what it said then is no reason to doubt every time before it. */
const CREDIBLE_MS = 86_400_000;

/**
 * A moment, marked where the wall clock cannot have been set yet: it stands before every possible time, or up to a day
 * before one that the gateway has kept, as after a power cut on a machine whose clock goes on from when it last looked.
 * @param newestKept the latest wall time that the gateway had kept when it started, in ms; 0 where there was none
 */
export function instant(mono: number, wall: number, newestKept: number): Instant {
  const isUnset = wall < EARLIEST_MS || (wall < newestKept && newestKept - wall <= CREDIBLE_MS);
  return isUnset ? { mono, wall, clock: 'unset' } : { mono, wall };
}

/** What stands beside a printed time: `clock: 'unset'` where it is no date, otherwise nothing. */
export function clockMark(at: Instant | null | undefined): { readonly clock?: 'unset' } {
  return at?.clock === undefined ? {} : { clock: at.clock };
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

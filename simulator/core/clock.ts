/** One moment on two clocks, in milliseconds: `mono` for arithmetic, `wall` (since 1970) for people. */
export interface Moment {
  readonly mono: number;
  readonly wall: number;
}

/** Where the simulator's time comes from, so that tests can put a virtual clock here. */
export interface Clock {
  now(): Moment;
  /**
   * Calls `run` once, at `mono` or as soon after it as possible.
   * @returns a function that calls it off
   */
  at(mono: number, run: () => void): () => void;
}

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => ({ mono: performance.now(), wall: Date.now() }),
  at(mono, run) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const leftMs = mono - performance.now();
      // Node rounds a timer's delay, so it may fire a fraction early; a device never acts before its delay is over.
      if (leftMs <= 0) run();
      else timer = setTimeout(wait, Math.ceil(leftMs));
    };
    timer = setTimeout(wait, Math.max(0, Math.ceil(mono - performance.now())));
    return () => clearTimeout(timer);
  },
};

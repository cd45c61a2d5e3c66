/** Something that happens at a time of the situation, in its own ms; negative: before the command. */
export interface Happening {
  readonly at: number;
  run(): void;
}

/**
 * The clock of one situation, which may run faster than real. What lies before the command is counted towards the moment
 * in which it is given; the rest from time zero, the moment in which the device received it.
 */
export class Timeline {
  readonly #speed: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #after: readonly Happening[] = [];
  #givenAt = Number.POSITIVE_INFINITY;
  #zeroAt: number | null = null;
  #stopped = false;

  /** @param speed how much faster than real it runs */
  constructor(speed: number) {
    this.#speed = speed;
  }

  /** Runs what comes before the command, from `leadMs` of the situation before it; resolves when it is to be given. */
  async lead(leadMs: number, happenings: readonly Happening[]): Promise<void> {
    const sorted = [...happenings].sort((a, b) => a.at - b.at);
    this.#after = sorted.filter(({ at }) => at >= 0);
    this.#givenAt = performance.now() + this.#real(leadMs);
    this.#play(
      sorted.filter(({ at }) => at < 0),
      this.#givenAt,
    );
    await new Promise<void>((resolve) => this.#timer(this.#givenAt, resolve));
    this.#givenAt = performance.now();
  }

  /**
   * Time zero: the device received the first command. Only the first call counts.
   * @param at when, on the clock of `performance`
   */
  begin(at = performance.now()): void {
    if (this.#zeroAt !== null || this.#stopped) return;
    this.#zeroAt = at;
    this.#play(this.#after, this.#zeroAt);
  }

  /** The present moment in ms of the situation; below zero as long as the device has received nothing. */
  now(): number {
    const now = performance.now();
    if (this.#zeroAt !== null) return (now - this.#zeroAt) * this.#speed;
    return Math.min((now - this.#givenAt) * this.#speed, -Number.MIN_VALUE);
  }

  /** Ms of the situation from time zero, or from the giving of the command where nothing was received, until now. */
  elapsed(): number {
    return (performance.now() - (this.#zeroAt ?? this.#givenAt)) * this.#speed;
  }

  /** Real ms from now until a moment of the situation. */
  realUntil(at: number): number {
    return this.#real(at - this.elapsed());
  }

  /** Calls `run` after `ms` of the situation. */
  after(ms: number, run: () => void): void {
    this.#timer(performance.now() + this.#real(ms), run);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** One timer at a time, so that two happenings never overtake each other however late a timer fires. */
  #play(happenings: readonly Happening[], zero: number): void {
    const [first, ...rest] = happenings;
    if (!first) return;
    this.#timer(zero + this.#real(first.at), () => {
      first.run();
      this.#play(rest, zero);
    });
  }

  #timer(time: number, run: () => void): void {
    if (this.#stopped) return;
    const delay = time - performance.now();
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        // Timers may fire a fraction of a millisecond early.
        if (performance.now() < time) this.#timer(time, run);
        else run();
      },
      Math.max(delay, 0),
    );
    this.#timers.add(timer);
  }

  #real(ms: number): number {
    return ms / this.#speed;
  }
}

import type { Clock } from '../../gateway/domain/time.ts';

/** Something that happens at a time of the situation, in its own ms; negative: before the command. */
export interface Happening {
  readonly at: number;
  run(): void;
}

/**
 * The time of one situation, which may run faster than real. What lies before the command is counted towards the moment
 * in which it is given; the rest from time zero, the moment in which the device received it.
 */
export class Timeline {
  readonly #clock: Clock;
  readonly #speed: number;
  #after: readonly Happening[] = [];
  #givenAt = Number.POSITIVE_INFINITY;
  #zeroAt: number | null = null;
  #stopped = false;

  /** @param speed how much faster than the clock it runs */
  constructor(clock: Clock, speed: number) {
    this.#clock = clock;
    this.#speed = speed;
  }

  /** Runs what comes before the command, from `leadMs` of the situation before it; resolves when it is to be given. */
  async lead(leadMs: number, happenings: readonly Happening[]): Promise<void> {
    this.#after = happenings.filter(({ at }) => at >= 0);
    this.#givenAt = this.#clock.now().mono + leadMs / this.#speed;
    this.#play(
      happenings.filter(({ at }) => at < 0),
      this.#givenAt,
    );
    await new Promise<void>((resolve) => this.#clock.at(this.#givenAt, resolve));
  }

  /**
   * Time zero: the device received the first command. Only the first call counts.
   * @param at when, on the clock; default now
   */
  begin(at = this.#clock.now().mono): void {
    if (this.#zeroAt !== null) return;
    this.#zeroAt = at;
    this.#play(this.#after, at);
  }

  /** The present moment in ms of the situation; below zero as long as the device has received nothing. */
  now(): number {
    return this.#zeroAt === null ? Math.min(this.elapsed(), -Number.MIN_VALUE) : this.elapsed();
  }

  /** Ms of the situation from time zero, or from the giving of the command where nothing was received, until now. */
  elapsed(): number {
    return (this.#clock.now().mono - (this.#zeroAt ?? this.#givenAt)) * this.#speed;
  }

  /** Calls `run` after `ms` of the situation. */
  after(ms: number, run: () => void): void {
    this.#at(this.#clock.now().mono + ms / this.#speed, run);
  }

  /** Nothing happens any more. */
  stop(): void {
    this.#stopped = true;
  }

  #play(happenings: readonly Happening[], zero: number): void {
    for (const { at, run } of happenings) this.#at(zero + at / this.#speed, run);
  }

  #at(mono: number, run: () => void): void {
    this.#clock.at(mono, () => {
      if (!this.#stopped) run();
    });
  }
}

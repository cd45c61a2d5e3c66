/**
 * Lets news of each topic through at once, and while more of it keeps coming only at a steady pace; the last of it is
 * never lost. Who talks much is heard, but does not flood those who listen.
 */
export class Pace {
  readonly #everyMs: number;
  readonly #tell: (topic: string) => void;
  /** Topics that have just been told, and whether there is news of them since. */
  readonly #resting = new Map<string, { timer: NodeJS.Timeout; news: boolean }>();

  /** @param everyMs the shortest time between two tellings of one topic */
  constructor(everyMs: number, tell: (topic: string) => void) {
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  news(topic: string): void {
    const resting = this.#resting.get(topic);
    if (resting) resting.news = true;
    else this.#let(topic);
  }

  stop(): void {
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  #let(topic: string): void {
    const timer = setTimeout(() => this.#rested(topic), this.#everyMs);
    timer.unref();
    this.#resting.set(topic, { timer, news: false });
    this.#tell(topic);
  }

  #rested(topic: string): void {
    const news = this.#resting.get(topic)?.news ?? false;
    this.#resting.delete(topic);
    if (news) this.#let(topic);
  }
}

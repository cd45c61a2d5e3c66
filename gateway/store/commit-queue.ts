interface Waiting<T> {
  readonly items: readonly T[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: while one batch is being written, what arrives waits, and goes together in the next. So a hundred
 * writers share one sync, and a lone one waits for nobody.
 */
export class CommitQueue<T> {
  readonly #commit: (items: readonly T[]) => Promise<void>;
  #waiting: Waiting<T>[] = [];
  #running: Promise<void> | null = null;

  /** @param commit never runs twice at a time; when it rejects, everyone in that batch hears it */
  constructor(commit: (items: readonly T[]) => Promise<void>) {
    this.#commit = commit;
  }

  /** Resolves once these items are committed; batches keep the order of the calls. */
  push(items: readonly T[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting or being committed. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Calls of the same turn of the event loop belong together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#commit(batch.flatMap((each) => each.items));
        for (const each of batch) each.resolve();
      } catch (error) {
        for (const each of batch) each.reject(error);
      }
    }
    this.#running = null;
  }
}

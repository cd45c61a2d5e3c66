/** Questions to one server that may be under way at a time. */
const AT_ONCE = 8;

/** Asks after one task; does not fail. @returns in how many ms to ask again; null: no more */
export type AskAfter = (taskId: string) => Promise<number | null>;

/** Asks after tasks one by one: each at its own interval and never sooner, and few at a time. */
export class Polling {
  readonly #ask: AskAfter;
  /** What wakes each of them; undefined while it is due or being asked after. */
  readonly #timers = new Map<string, NodeJS.Timeout | undefined>();
  /** Those that wait for their turn, in order. */
  readonly #due = new Set<string>();
  #asking = 0;

  constructor(ask: AskAfter) {
    this.#ask = ask;
  }

  /** Asks after a task as soon as its turn comes, and then as often as the answers say. */
  add(taskId: string): void {
    if (!this.#timers.has(taskId)) this.#wake(taskId);
  }

  remove(taskId: string): void {
    clearTimeout(this.#timers.get(taskId));
    this.#timers.delete(taskId);
    this.#due.delete(taskId);
  }

  stop(): void {
    for (const taskId of [...this.#timers.keys()]) this.remove(taskId);
  }

  #wake(taskId: string): void {
    this.#timers.set(taskId, undefined);
    this.#due.add(taskId);
    this.#run();
  }

  #run(): void {
    for (const taskId of this.#due) {
      if (this.#asking >= AT_ONCE) return;
      this.#due.delete(taskId);
      void this.#askAfter(taskId);
    }
  }

  async #askAfter(taskId: string): Promise<void> {
    this.#asking += 1;
    const againInMs = await this.#ask(taskId);
    this.#asking -= 1;
    if (againInMs === null) this.#timers.delete(taskId);
    // It may have been removed while it was being asked after.
    else if (this.#timers.has(taskId))
      this.#timers.set(
        taskId,
        setTimeout(() => this.#wake(taskId), againInMs),
      );
    this.#run();
  }
}

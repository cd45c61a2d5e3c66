/** Questions to one server that may be under way at a time. */
const AT_ONCE = 8;

/** Asks after one task; does not fail. @returns in how many ms to ask again; null: no more */
export type AskAfter = (taskId: string) => Promise<number | null>;

/** Asks after tasks one by one: each at its own interval and never sooner, and few at a time. */
export class Polling {
  readonly #ask: AskAfter;
  /** When each is due, on the monotonic clock; in the order in which they came. */
  readonly #due = new Map<string, number>();
  #asking = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ask: AskAfter) {
    this.#ask = ask;
  }

  /** Asks after a task as soon as its turn comes, and then as often as the answers say. */
  add(taskId: string): void {
    if (this.#due.has(taskId)) return;
    this.#due.set(taskId, performance.now());
    this.#run();
  }

  remove(taskId: string): void {
    this.#due.delete(taskId);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #run(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [taskId, due] of this.#due) {
      if (due > now) next = Math.min(next, due);
      else if (this.#asking >= AT_ONCE) return;
      else void this.#askAfter(taskId);
    }
    if (Number.isFinite(next)) this.#timer = setTimeout(() => this.#run(), Math.ceil(next - now));
  }

  async #askAfter(taskId: string): Promise<void> {
    this.#due.set(taskId, Number.POSITIVE_INFINITY);
    this.#asking += 1;
    const againInMs = await this.#ask(taskId);
    this.#asking -= 1;
    if (againInMs === null) this.#due.delete(taskId);
    else if (this.#due.has(taskId)) this.#due.set(taskId, performance.now() + againInMs);
    this.#run();
  }
}

/** Work in turns: what has the same key is done one after the other, in the order in which it came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work once everything before it under this key has ended, well or not. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}

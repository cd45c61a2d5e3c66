import { messageOf } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';

/** Everybody who wants to hear of one kind of news. One listener that fails does not keep it from the others. */
export class Audience<News> {
  readonly #listeners = new Set<(news: News) => void>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @returns a function that ends it */
  add(listener: (news: News) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(news: News): void {
    for (const listener of this.#listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#log.error({ error: messageOf(error) }, 'a listener failed');
      }
    }
  }
}

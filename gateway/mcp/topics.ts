type Listener<News> = (news: News) => void;

/** Who listens to what. News of one topic costs as much as it has listeners, however many there are of others. */
export class Topics<News> {
  readonly #listeners = new Map<string, Set<Listener<News>>>();

  follow(topic: string, listener: Listener<News>): void {
    const known = this.#listeners.get(topic);
    if (known) known.add(listener);
    else this.#listeners.set(topic, new Set([listener]));
  }

  /** Ends a listener's interest in a topic; one that had none is left alone. */
  leave(topic: string, listener: Listener<News>): void {
    const known = this.#listeners.get(topic);
    known?.delete(listener);
    if (known?.size === 0) this.#listeners.delete(topic);
  }

  /** Tells a topic's listeners, who may leave it meanwhile. */
  publish(topic: string, news: News): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(news);
  }

  /** How many topics have a listener. */
  get size(): number {
    return this.#listeners.size;
  }
}

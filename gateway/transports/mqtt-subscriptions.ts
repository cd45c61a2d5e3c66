import { covers, disjoint, hasWildcard, matches } from './mqtt-filter.ts';
import type { MqttMessage } from './mqtt-link.ts';

type Listener = (message: MqttMessage) => void;

/** Topics remembered for a listener before they are forgotten again; then a kept message may be heard twice. */
const HEARD_MAX = 50_000;

/** A listener with everything it asked for. */
interface Hearer {
  readonly listener: Listener;
  /** Filter → how many times it was asked for. */
  readonly filters: Map<string, number>;
  /** Topics on which it heard something on this connection. */
  readonly heard: Set<string>;
}

/** What has to be said to the broker so that every listener hears what it asked for. */
export interface SubscriptionChange {
  /** Marks the messages that are sent for `subscribe`. */
  readonly number: number;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
}

/**
 * Who listens to what, and what stands at the broker for it. The broker is asked for filters that do not overlap, so that
 * it sends every message once; who hears it is decided here.
 */
export class MqttSubscriptions {
  readonly #onFault: (error: unknown, topic: string) => void;
  readonly #hearers = new Map<Listener, Hearer>();
  /** Filters without wildcards by their topic: nearly all of them, found without a search. */
  readonly #exact = new Map<string, Set<Hearer>>();
  readonly #wide = new Map<string, Set<Hearer>>();
  /** What the broker was asked for on this connection. */
  #asked = new Set<string>();
  /**
   * Filters that stood at the broker when it sent what comes next, with the numbers of their subscriptions: its answers
   * and its messages come in one order.
   */
  readonly #inForce = { exact: new Map<string, number>(), wide: new Map<string, number>() };
  /** What the broker refused on this connection. */
  readonly #refused = new Set<string>();
  /** Filters with a listener that has yet to hear what the broker has kept. */
  readonly #fresh = new Set<string>();
  #changes = 0;

  /** @param onFault hears of a listener that threw */
  constructor(onFault: (error: unknown, topic: string) => void) {
    this.#onFault = onFault;
  }

  /** @returns its end */
  add(filter: string, listener: Listener): () => void {
    const hearer = this.#hearers.get(listener) ?? { listener, filters: new Map(), heard: new Set() };
    this.#hearers.set(listener, hearer);
    hearer.filters.set(filter, (hearer.filters.get(filter) ?? 0) + 1);
    const index = this.#indexOf(filter);
    const sharing = index.get(filter) ?? new Set();
    index.set(filter, sharing.add(hearer));
    this.#fresh.add(filter);
    let ended = false;
    return () => {
      if (!ended) this.#remove(filter, hearer);
      ended = true;
    };
  }

  /** Whether a message under this topic is heard by anybody. */
  hears(topic: string): boolean {
    return this.#hearersOf(topic).size > 0;
  }

  /**
   * Hands a message to each of its listeners, once. A kept message is passed over by those who heard of its topic on this
   * connection: it was sent for a listener that came later, and is older than what they know.
   * @param through the subscriptions that the broker sent it for
   */
  deliver(message: MqttMessage, through: readonly number[] = []): void {
    const { topic, retained } = message;
    if (this.#isSecondCopy(topic, through)) return;
    for (const hearer of this.#hearersOf(topic)) {
      // One that was ended by another's reaction to this very message hears no more.
      if (hearer.filters.size === 0 || (retained && hearer.heard.has(topic))) continue;
      if (hearer.heard.size >= HEARD_MAX) hearer.heard.clear();
      hearer.heard.add(topic);
      try {
        hearer.listener(message);
      } catch (error) {
        this.#onFault(error, topic);
      }
    }
  }

  /** What to say to the broker now; it counts as said. */
  change(): SubscriptionChange {
    this.#changes += 1;
    const number = this.#changes;
    const fresh = [...this.#fresh];
    this.#fresh.clear();
    const wantsKept = (filter: string) =>
      hasWildcard(filter) ? fresh.some((each) => covers(filter, each)) : fresh.includes(filter);
    const wanted = new Set(this.#allowed([...this.#exact.keys(), ...this.#wide.keys()]));
    const subscribe = [...wanted].filter((filter) => !this.#asked.has(filter) || wantsKept(filter));
    const unsubscribe = [...this.#asked].filter((filter) => !wanted.has(filter));
    this.#asked = wanted;
    return { number, subscribe, unsubscribe };
  }

  /**
   * What the broker said to the SUBSCRIBE for a part of a change.
   * @returns whether there is another change to be made: what a refused filter stood for may be allowed one by one
   */
  subscribed(number: number, filters: readonly string[], refused: readonly string[]): boolean {
    for (const filter of filters) this.#inForceLike(filter).set(filter, number);
    this.unsubscribed(refused);
    for (const filter of refused) {
      this.#asked.delete(filter);
      this.#refused.add(filter);
    }
    return refused.length > 0;
  }

  /** The broker has done with these filters. */
  unsubscribed(filters: readonly string[]): void {
    for (const filter of filters) this.#inForceLike(filter).delete(filter);
  }

  /** A new connection: the broker knows of nothing, and what it has kept is heard again. */
  reset(): void {
    this.#asked.clear();
    this.#inForce.exact.clear();
    this.#inForce.wide.clear();
    this.#refused.clear();
    for (const hearer of this.#hearers.values()) hearer.heard.clear();
  }

  /** Disjoint filters for all of these, without those that the broker refused. */
  #allowed(filters: readonly string[]): string[] {
    return disjoint(filters).flatMap((filter) => {
      if (!this.#refused.has(filter)) return [filter];
      const parts = filters.filter((each) => each !== filter && covers(filter, each));
      const joined = !filters.includes(filter);
      return joined ? parts.filter((part) => !this.#refused.has(part)) : this.#allowed(parts);
    });
  }

  /**
   * While one filter takes the place of another, both stand for a moment, and a message comes for each: the one for the
   * later subscription counts.
   */
  #isSecondCopy(topic: string, through: readonly number[]): boolean {
    if (through.length === 0) return false;
    let latest = this.#inForce.exact.get(topic) ?? 0;
    for (const [filter, number] of this.#inForce.wide) {
      if (number > latest && matches(filter, topic)) latest = number;
    }
    return latest > Math.max(...through);
  }

  #inForceLike(filter: string): Map<string, number> {
    return hasWildcard(filter) ? this.#inForce.wide : this.#inForce.exact;
  }

  #remove(filter: string, hearer: Hearer): void {
    const times = (hearer.filters.get(filter) ?? 1) - 1;
    if (times > 0) {
      hearer.filters.set(filter, times);
      return;
    }
    hearer.filters.delete(filter);
    if (hearer.filters.size === 0) this.#hearers.delete(hearer.listener);
    const index = this.#indexOf(filter);
    const sharing = index.get(filter);
    sharing?.delete(hearer);
    if (sharing?.size === 0) {
      index.delete(filter);
      this.#fresh.delete(filter);
    }
  }

  #indexOf(filter: string): Map<string, Set<Hearer>> {
    return hasWildcard(filter) ? this.#wide : this.#exact;
  }

  #hearersOf(topic: string): Set<Hearer> {
    const found = new Set(this.#exact.get(topic));
    for (const [filter, hearers] of this.#wide) {
      if (!matches(filter, topic)) continue;
      for (const hearer of hearers) found.add(hearer);
    }
    return found;
  }
}

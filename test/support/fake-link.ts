import { matches } from '../../gateway/transports/mqtt-filter.ts';
import type { MqttLink, MqttMessage, PublishResult } from '../../gateway/transports/mqtt-link.ts';
import { quiet, type VirtualClock } from './virtual-clock.ts';

interface Published {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1;
}

/** A broker in memory: a test says what devices publish and sees what the gateway does. */
export class FakeLink implements MqttLink {
  connected = true;
  /** Every message of the gateway that left. */
  readonly published: Published[] = [];
  /** Takes the place of the broker's acknowledgement. */
  onPublish: ((message: Published) => PublishResult | Promise<PublishResult>) | null = null;
  readonly #clock: VirtualClock;
  readonly #kept = new Map<string, string>();
  readonly #listeners = new Map<string, Set<(message: MqttMessage) => void>>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  get filters(): string[] {
    return [...this.#listeners].filter(([, listeners]) => listeners.size > 0).map(([filter]) => filter);
  }

  subscribe(filter: string, listener: (message: MqttMessage) => void): () => void {
    const listeners = this.#listeners.get(filter) ?? new Set();
    this.#listeners.set(filter, listeners.add(listener));
    for (const [topic, payload] of this.#kept) {
      if (matches(filter, topic)) listener(this.#message(topic, payload, true));
    }
    return () => listeners.delete(listener);
  }

  async subscribed(): Promise<void> {}

  async publish(topic: string, payload: string, qos: 0 | 1, onDispatch: () => void): Promise<PublishResult> {
    if (!this.connected) return { type: 'undelivered', detail: 'no connection to the broker' };
    onDispatch();
    const message = { topic, payload, qos };
    this.published.push(message);
    return (await this.onPublish?.(message)) ?? { type: 'acknowledged' };
  }

  onConnection(): () => void {
    return () => {};
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  /** Keeps a message for those who subscribe later. */
  keep(topic: string, payload: unknown): void {
    this.#kept.set(topic, textOf(payload));
  }

  /** A device publishes. Everything that follows from it has had its turn when this resolves. */
  async say(topic: string, payload: unknown, retained = false): Promise<void> {
    for (const [filter, listeners] of this.#listeners) {
      if (!matches(filter, topic)) continue;
      for (const listener of [...listeners]) listener(this.#message(topic, textOf(payload), retained));
    }
    await quiet();
  }

  #message(topic: string, payload: string, retained: boolean): MqttMessage {
    return { topic, payload: new TextEncoder().encode(payload), retained, at: this.#clock.now() };
  }
}

function textOf(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}

import type { Instant } from '../domain/time.ts';

/** One message as it came from the broker. */
export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Set only where the broker sent what it had kept: history, never news. */
  readonly retained: boolean;
  /** When it was received. */
  readonly at: Instant;
}

/** What became of a message of ours. */
export type PublishResult =
  /** The broker has it (PUBACK). */
  | { readonly type: 'acknowledged' }
  /** It certainly never left: there is no connection. */
  | { readonly type: 'undelivered'; readonly detail: string }
  /** It left, but its acknowledgement never came: the broker may have it. It is not sent again. */
  | { readonly type: 'lost'; readonly detail: string };

/** The one connection of the gateway to its broker. */
export interface MqttLink {
  readonly connected: boolean;
  /**
   * Hears every message that a topic filter takes, on this connection and on those after it. Several listeners may share
   * a filter.
   * @returns its end
   */
  subscribe(filter: string, listener: (message: MqttMessage) => void): () => void;
  /**
   * Publishes once, never retained. `onDispatch` is called right before the first byte may leave.
   * @param qos 0 or 1; only 1 is acknowledged, 0 counts as acknowledged once it is written
   */
  publish(topic: string, payload: string, qos: 0 | 1, onDispatch: () => void): Promise<PublishResult>;
  /** Hears when the connection is made or lost. @returns its end */
  onConnection(listener: (connected: boolean) => void): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

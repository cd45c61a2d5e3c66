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
  /** It left, and the broker said that it passes it on to nobody: the login may not write this topic, for one. */
  | { readonly type: 'refused'; readonly detail: string }
  /** It left, but its acknowledgement never came: the broker may have it. It is not sent again. */
  | { readonly type: 'lost'; readonly detail: string };

/** The one connection of the gateway to its broker. No method throws. */
export interface MqttLink {
  readonly connected: boolean;
  /**
   * Hears every message that a topic filter takes, on this connection and on those after it, each once. Several listeners
   * may share a filter; each hears what the broker has kept, once on each connection. A filter that is none, or that
   * begins with `$`, hears nothing.
   * @returns its end
   */
  subscribe(filter: string, listener: (message: MqttMessage) => void): () => void;
  /** Resolves once every filter asked for so far is in force at the broker, or there is no connection. */
  subscribed(): Promise<void>;
  /**
   * Publishes once, never retained. `onDispatch` is called right before the first byte may leave, and never for a message
   * that does not leave.
   * @param qos 0 or 1; only 1 is acknowledged, 0 counts as acknowledged once it is written
   */
  publish(topic: string, payload: string, qos: 0 | 1, onDispatch: () => void): Promise<PublishResult>;
  /** Hears when the connection is made or lost. @returns its end */
  onConnection(listener: (connected: boolean) => void): () => void;
  /** Begins to connect, and goes on for good; resolves when the first attempt has ended, well or not. */
  start(): Promise<void>;
  /** Says goodbye and lets go; what waits for an acknowledgement is lost. */
  stop(): Promise<void>;
}

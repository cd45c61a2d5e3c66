import type { Socket } from 'node:net';
import { type IClientSubscribeOptions, type MqttClient, ReasonCodes } from 'mqtt';
import type { PublishResult } from './mqtt-link.ts';

/** 5, or 4 for MQTT 3.1.1, as the protocol counts. */
export type MqttVersion = 4 | 5;

/** A message as a session hands it on. */
export interface SessionMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retained: boolean;
  /** The subscriptions that it was sent for, by their number; empty where the broker does not say. */
  readonly through: readonly number[];
}

/** A message as a session sends it. */
export interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

export const SHUTTING_DOWN = 'the gateway is shutting down';
/** Messages that may wait for their PUBACK at a time, where the broker allows no fewer. */
const IN_FLIGHT_MAX = 64;
/** Filters in one SUBSCRIBE. */
const BATCH = 100;
/** How long a goodbye may take, in ms. */
const GOODBYE_MS = 1_000;
/** From here on, reason codes mean failure. */
const FAILURE_CODE = 0x80;

/** The reason code that the broker gave, or undefined where the fault is not its word. */
export function reasonCodeOf(error: Error): number | undefined {
  return 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/** One connection to the broker, from its consent to its end. */
export class MqttSession {
  readonly version: MqttVersion;
  /** Resolves, with why, once the connection has ended. */
  readonly ended: Promise<string>;
  readonly #client: MqttClient;
  readonly #socket: Socket;
  readonly #ackTimeoutMs: number;
  /** Answers that the broker owes: each is told when none will come. */
  readonly #owed = new Set<(why: string) => void>();
  /** Messages that wait, unsent, until the broker takes another one. */
  readonly #waiting: (() => void)[] = [];
  /** SUBSCRIBEs and UNSUBSCRIBEs that are not answered yet, by their packet's number. */
  readonly #acks = new Map<number, (codes: readonly unknown[]) => void>();
  #inFlight = 0;
  /** Why there is nothing more to be done with it. */
  #why: string | undefined;

  constructor(client: MqttClient, socket: Socket, version: MqttVersion, ackTimeoutMs: number) {
    this.version = version;
    this.#client = client;
    this.#socket = socket;
    this.#ackTimeoutMs = ackTimeoutMs;
    this.ended = new Promise<void>((resolve) => client.once('close', resolve)).then(() => this.#close());
  }

  /** Begins to watch over the connection and to hand on what comes. */
  begin(onMessage: (message: SessionMessage) => void): void {
    this.#client.on('message', (topic, payload, { retain, properties }) => {
      const through = [properties?.subscriptionIdentifier ?? []].flat();
      onMessage({ topic, payload, retained: retain, through });
    });
    this.#client.on('packetreceive', (packet) => {
      if (packet.cmd === 'suback') this.#acknowledge(packet.messageId, packet.granted);
      if (packet.cmd === 'unsuback') this.#acknowledge(packet.messageId, []);
    });
    this.#client.on('error', (error) => this.drop(error.message));
    this.#client.on('disconnect', (packet) => this.drop(`the broker ended it: ${reasonText(packet.reasonCode)}`));
  }

  /** Publishes once; see `MqttLink.publish`. Waits, unsent, while the broker takes no more at a time. */
  async publish(message: Outgoing, onDispatch: () => void): Promise<PublishResult> {
    const { topic, payload, qos, retain } = message;
    if (qos === 1) await this.#takeSlot();
    if (this.#why !== undefined) return { type: 'undelivered', detail: this.#why };
    onDispatch();
    const result = await this.#answer<PublishResult>(
      (why) => ({ type: 'lost', detail: why }),
      (settle) =>
        this.#client.publish(topic, payload, { qos, retain }, (error) => {
          if (!error) settle({ type: 'acknowledged' });
          else if (reasonCodeOf(error) !== undefined) settle({ type: 'refused', detail: error.message });
          else settle({ type: 'lost', detail: this.#why ?? error.message });
        }),
    );
    if (qos === 1) this.#freeSlot();
    return result;
  }

  /**
   * Asks for these filters, or once more for what is kept under them. Resolves when all are answered.
   * @param number comes back with the messages that are sent for them, from a broker that can do so
   * @param onAnswer hears which were asked for together and which of them the broker refuses, before any message that
   *   was sent after that answer
   */
  async subscribe(
    filters: readonly string[],
    number: number,
    onAnswer: (filters: readonly string[], refused: readonly string[]) => void,
  ): Promise<void> {
    const ask = (batch: readonly string[], settle: () => void) =>
      this.#client.subscribe([...batch], this.#subscribeOptions(number), settle);
    await this.#inBatches(filters, ask, (batch, codes) =>
      onAnswer(
        batch,
        batch.filter((_, index) => Number(codes[index] ?? 0) >= FAILURE_CODE),
      ),
    );
  }

  /** Asks no more for these filters. Resolves when all are answered; `onAnswer` is called as with `subscribe`. */
  async unsubscribe(filters: readonly string[], onAnswer: (filters: readonly string[]) => void): Promise<void> {
    const ask = (batch: readonly string[], settle: () => void) => this.#client.unsubscribe([...batch], settle);
    await this.#inBatches(filters, ask, onAnswer);
  }

  /** Publishes a last word, retained, and says goodbye, so that the broker does not publish the will. */
  async close(last: { readonly topic: string; readonly payload: string }): Promise<void> {
    const timer = setTimeout(() => this.drop('the goodbye took too long'), GOODBYE_MS);
    this.#why ??= SHUTTING_DOWN;
    this.#client.publish(last.topic, last.payload, { qos: 1, retain: true }, () => {});
    this.#client.end();
    await this.ended;
    clearTimeout(timer);
  }

  /** Lets go of the connection at once; what has not left this machine never will. */
  drop(why: string): void {
    this.#why ??= why;
    this.#socket.destroy();
  }

  #acknowledge(messageId: number | undefined, codes: readonly unknown[]): void {
    if (messageId === undefined) return;
    this.#acks.get(messageId)?.(codes);
    this.#acks.delete(messageId);
  }

  #close(): string {
    this.#why ??= 'the connection broke';
    for (const end of [...this.#owed]) end(this.#why);
    for (const goOn of this.#waiting.splice(0)) goOn();
    return this.#why;
  }

  /** Waits for an answer. A broker that owes one for too long is not there: then the connection ends. */
  #answer<T>(lost: (why: string) => T, ask: (settle: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve) => {
      const settle = (value: T) => {
        clearTimeout(timer);
        this.#owed.delete(end);
        resolve(value);
      };
      const end = (why: string) => settle(lost(why));
      const timer = setTimeout(
        () => this.drop(`the broker acknowledged nothing within ${this.#ackTimeoutMs} ms`),
        this.#ackTimeoutMs,
      );
      this.#owed.add(end);
      ask(settle);
    });
  }

  async #inBatches(
    filters: readonly string[],
    ask: (batch: readonly string[], settle: () => void) => void,
    onAnswer: (batch: readonly string[], codes: readonly unknown[]) => void,
  ): Promise<void> {
    if (this.#why !== undefined) return;
    const batches = Array.from({ length: Math.ceil(filters.length / BATCH) }, (_, index) =>
      filters.slice(index * BATCH, (index + 1) * BATCH),
    );
    await Promise.all(
      batches.map((batch) =>
        this.#answer<void>(
          () => undefined,
          (settle) => {
            ask(batch, () => settle());
            // The package calls back too late: after the messages that came in one piece with the answer.
            this.#acks.set(this.#client.getLastMessageId(), (codes) => onAnswer(batch, codes));
          },
        ),
      ),
    );
  }

  /**
   * `rap` false: the retain flag then means that the broker had kept the message, also where the device published it so.
   * `nl`: what we publish is not sent back to us. `rh` 0: what is kept is sent for every SUBSCRIBE.
   */
  #subscribeOptions(number: number): IClientSubscribeOptions {
    if (this.version === 4) return { qos: 0 };
    const numbered = this.#client.serverProperties?.subscriptionIdentifiersAvailable !== false;
    const properties = numbered ? { properties: { subscriptionIdentifier: number } } : {};
    return { qos: 0, nl: true, rap: false, rh: 0, ...properties };
  }

  async #takeSlot(): Promise<void> {
    const offered = this.#client.serverProperties?.receiveMaximum ?? IN_FLIGHT_MAX;
    if (this.#inFlight < Math.min(offered, IN_FLIGHT_MAX)) this.#inFlight += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A slot that is given back goes to the message that waits longest. */
  #freeSlot(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inFlight -= 1;
  }
}

function reasonText(code: number | undefined): string {
  const texts: Readonly<Record<number, string>> = ReasonCodes;
  return (code === undefined ? undefined : texts[code]) || 'it gave no reason';
}

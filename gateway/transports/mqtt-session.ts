import type { Socket } from 'node:net';
import {
  type ErrorWithReasonCode,
  type IClientOptions,
  type IClientSubscribeOptions,
  MqttClient,
  ReasonCodes,
} from 'mqtt';
import { messageOf } from '../domain/errors.ts';
import type { PublishResult } from './mqtt-link.ts';
import { type BrokerAddress, openSocket } from './mqtt-socket.ts';

/** 5, or 4 for MQTT 3.1.1, as the protocol counts. */
export type MqttVersion = 4 | 5;

export interface SessionOptions {
  readonly address: BrokerAddress;
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  /** What the broker publishes, retained, when the connection breaks. */
  readonly will: { readonly topic: string; readonly payload: string };
  /** From the attempt to connect to the broker's consent, in ms. */
  readonly connectTimeoutMs: number;
  /** How long a message may wait for its PUBACK before the connection counts as dead, in ms. */
  readonly ackTimeoutMs: number;
  /** Silence after which the broker is asked whether it is there, in ms; whole seconds. */
  readonly keepaliveMs: number;
}

/** Why there is no session, by what can be done about it. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  /** `version`: the broker does not speak this version, or hung up at it without a word. */
  readonly kind: 'unreachable' | 'version' | 'login' | 'refused';

  constructor(kind: SessionError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

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

const SHUTTING_DOWN = 'the gateway is shutting down';
/** Bytes of a packet from the broker; an MQTT 5 broker keeps what is larger to itself. */
const PACKET_MAX = 1024 * 1024;
/** Messages that may wait for their PUBACK at a time, where the broker allows no fewer. */
const IN_FLIGHT_MAX = 64;
/** Filters in one SUBSCRIBE. */
const BATCH = 100;
/** How long a goodbye may take, in ms. */
const GOODBYE_MS = 1_000;

/** Reason codes of CONNACK, of MQTT 5 and of 3.1.1. */
const VERSION_CODES = [1, 132];
const LOGIN_CODES = [4, 5, 134, 135];
/** From here on, reason codes of MQTT 5 mean failure. */
const FAILURE_CODE = 0x80;

/**
 * Opens one connection to the broker, in one version of the protocol.
 * @param signal gives up
 * @throws SessionError
 */
export async function openSession(
  options: SessionOptions,
  version: MqttVersion,
  signal: AbortSignal,
): Promise<MqttSession> {
  const limit = new AbortController();
  const giveUp = () => limit.abort(new Error(SHUTTING_DOWN));
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  const { connectTimeoutMs } = options;
  const late = new Error(`no answer within ${connectTimeoutMs} ms`);
  const timer = setTimeout(() => limit.abort(late), connectTimeoutMs);
  try {
    const socket = await openSocket(options.address, limit.signal);
    const client = new MqttClient(() => socket, clientOptions(options, version));
    await consent(client, socket, limit.signal);
    return new MqttSession(client, socket, version, options.ackTimeoutMs);
  } catch (error) {
    throw error instanceof SessionError
      ? error
      : new SessionError('unreachable', describe(error), error instanceof Error ? { cause: error } : undefined);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/**
 * The package's own client lives for one connection: what it would keep to send again later goes with it. A command is
 * never sent late and never twice.
 */
function clientOptions(options: SessionOptions, version: MqttVersion): IClientOptions {
  const { clientId, username, password, will, keepaliveMs, connectTimeoutMs } = options;
  return {
    protocolVersion: version,
    clientId,
    clean: true,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    keepalive: Math.ceil(keepaliveMs / 1000),
    connectTimeout: connectTimeoutMs,
    will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(version === 5 ? { properties: { maximumPacketSize: PACKET_MAX } } : {}),
  };
}

/** Resolves when the broker takes us in. */
function consent(client: MqttClient, socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Kept for good: an error that nobody hears would end the process.
    client.on('error', (error) => reject(refusal(error)));
    client.once('connect', () => resolve());
    client.once('close', () => reject(new SessionError('version', 'the broker hung up without a word')));
    signal.addEventListener('abort', () => {
      reject(signal.reason);
      socket.destroy();
    });
  });
}

function refusal(error: Error | ErrorWithReasonCode): SessionError {
  const code = codeOf(error);
  if (code === undefined) return new SessionError('version', `the broker's answer makes no sense: ${error.message}`);
  if (VERSION_CODES.includes(code))
    return new SessionError('version', 'the broker does not speak this version of MQTT');
  if (LOGIN_CODES.includes(code)) return new SessionError('login', 'the broker refuses the login');
  return new SessionError('refused', `the broker refuses: ${error.message}`);
}

/** The reason code that the broker gave, or undefined where the fault is not its word. */
function codeOf(error: Error | ErrorWithReasonCode): number | undefined {
  return 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

function reasonText(code: number | undefined): string {
  const texts: Readonly<Record<number, string>> = ReasonCodes;
  return (code === undefined ? undefined : texts[code]) || 'it gave no reason';
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ');
  return messageOf(error);
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
  /** SUBSCRIBEs that are not answered yet, by their packet's number. */
  readonly #subacks = new Map<number, (granted: readonly unknown[]) => void>();
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
      if (packet.cmd === 'suback') this.#subacks.get(packet.messageId ?? 0)?.(packet.granted);
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
          else if (codeOf(error) !== undefined) settle({ type: 'refused', detail: error.message });
          else settle({ type: 'lost', detail: this.#why ?? error.message });
        }),
    );
    if (qos === 1) this.#freeSlot();
    return result;
  }

  /**
   * Asks for these filters, or once more for what is kept under them. Resolves when all are answered.
   * @param number comes back with the messages that are sent for them, from a broker that can do so
   * @param onAnswer hears which were asked for together and which of them the broker refuses, before any message does
   *   that came after the answer
   */
  async subscribe(
    filters: readonly string[],
    number: number,
    onAnswer: (filters: readonly string[], refused: readonly string[]) => void,
  ): Promise<void> {
    const batches = Array.from({ length: Math.ceil(filters.length / BATCH) }, (_, index) =>
      filters.slice(index * BATCH, (index + 1) * BATCH),
    );
    await Promise.all(batches.map((batch) => this.#subscribeBatch(batch, number, onAnswer)));
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    if (filters.length === 0 || this.#why !== undefined) return;
    await this.#answer<void>(
      () => undefined,
      (settle) => this.#client.unsubscribe([...filters], () => settle()),
    );
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

  async #subscribeBatch(
    filters: readonly string[],
    number: number,
    onAnswer: (filters: readonly string[], refused: readonly string[]) => void,
  ): Promise<void> {
    if (this.#why !== undefined) return;
    await this.#answer<void>(
      () => undefined,
      (settle) => {
        this.#client.subscribe([...filters], this.#subscribeOptions(number), () => settle());
        const messageId = this.#client.getLastMessageId();
        // The package calls back too late: after the messages that came in one piece with the answer.
        this.#subacks.set(messageId, (granted) => {
          this.#subacks.delete(messageId);
          onAnswer(
            filters,
            filters.filter((_, index) => Number(granted[index] ?? 0) >= FAILURE_CODE),
          );
        });
      },
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

import { randomBytes } from 'node:crypto';
import { messageOf } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import type { Clock } from '../domain/time.ts';
import { jitteredPause } from './jittered-pause.ts';
import { filterFlaw, topicFlaw } from './mqtt-filter.ts';
import type { MqttLink, MqttMessage, PublishResult } from './mqtt-link.ts';
import { openSession, SessionError } from './mqtt-open.ts';
import { OwnMessages } from './mqtt-own-messages.ts';
import { type MqttSession, type MqttVersion, type SessionMessage, SHUTTING_DOWN } from './mqtt-session.ts';
import { type BrokerAddress, brokerUrl } from './mqtt-socket.ts';
import { MqttSubscriptions } from './mqtt-subscriptions.ts';

/** How the gateway meets its broker. What is left out has a default that suits a home. */
export interface MqttLinkOptions {
  readonly address: BrokerAddress;
  readonly username?: string;
  readonly password?: string;
  /** Unique at the broker, which cuts off the older one of two; a random one where it is left out. */
  readonly clientId?: string;
  /** Where the gateway says, retained, that it is `online` or `offline`. */
  readonly statusTopic: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: Partial<MqttTiming>;
}

/** How patient the link is; each has a default. */
export interface MqttTiming {
  /** From the attempt to connect to the broker's consent. */
  readonly connectTimeoutMs: number;
  /** How long the broker may owe an acknowledgement before it counts as gone. */
  readonly ackTimeoutMs: number;
  /** Silence after which the broker is asked whether it is there; it counts as gone after half as much again. */
  readonly keepaliveMs: number;
  /** The pause after a first failure; each further one doubles it, up to `longestPauseMs`. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const TIMING: MqttTiming = {
  connectTimeoutMs: 10_000,
  ackTimeoutMs: 5_000,
  keepaliveMs: 15_000,
  firstPauseMs: 500,
  longestPauseMs: 10_000,
};

/** Largest payload that is handed on, in bytes: states are small, and pictures are nobody's state. */
const PAYLOAD_MAX = 256 * 1024;
/** Topics of which it is remembered that a payload was too large. */
const NOTICES_MAX = 1_000;

/** The gateway's connection to its broker; it does nothing before `start`. */
export function createMqttLink(options: MqttLinkOptions): MqttLink {
  return new MqttBrokerLink(options);
}

class MqttBrokerLink implements MqttLink {
  readonly #options: MqttLinkOptions;
  readonly #timing: MqttTiming;
  readonly #clientId: string;
  readonly #broker: string;
  readonly #subscriptions: MqttSubscriptions;
  readonly #own: OwnMessages;
  readonly #connectionListeners = new Set<(connected: boolean) => void>();
  readonly #stop = new AbortController();
  /** Topics of which it was said that a payload was too large. */
  readonly #noticed = new Set<string>();
  #session: MqttSession | null = null;
  #version: MqttVersion = 5;
  #started: Promise<void> | null = null;
  #running: Promise<void> | null = null;
  /** Settles when what was last said to the broker about filters has been answered. */
  #inForce: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | null = null;
  #trouble: string | undefined;

  constructor(options: MqttLinkOptions) {
    const { address, clock, log } = options;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#clientId = options.clientId ?? `readback-${randomBytes(6).toString('hex')}`;
    this.#broker = brokerUrl(address);
    this.#own = new OwnMessages(clock);
    this.#subscriptions = new MqttSubscriptions((error, topic) =>
      log.error({ topic, error: messageOf(error) }, 'a message could not be digested'),
    );
  }

  get connected(): boolean {
    return this.#session !== null;
  }

  subscribe(filter: string, listener: (message: MqttMessage) => void): () => void {
    const flaw = filterFlaw(filter);
    if (flaw !== undefined) {
      this.#options.log.warn({ filter, flaw }, 'this topic cannot be listened to');
      return () => {};
    }
    const end = this.#subscriptions.add(filter, listener);
    this.#sync();
    return () => {
      end();
      this.#sync();
    };
  }

  async subscribed(): Promise<void> {
    await this.#syncing;
    await this.#inForce;
  }

  async publish(topic: string, payload: string, qos: 0 | 1, onDispatch: () => void): Promise<PublishResult> {
    const flaw = topicFlaw(topic);
    if (flaw !== undefined) return { type: 'undelivered', detail: `"${topic}" is no topic for a message: ${flaw}` };
    const session = this.#session;
    if (!session) {
      const trouble = this.#trouble === undefined ? '' : `: ${this.#trouble}`;
      return { type: 'undelivered', detail: `there is no connection to the broker${trouble}` };
    }
    return session.publish({ topic, payload, qos, retain: false }, () => {
      if (session.version === 4 && this.#subscriptions.hears(topic)) this.#own.expect(topic, payload);
      onDispatch();
    });
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#connectionListeners.add(listener);
    return () => this.#connectionListeners.delete(listener);
  }

  start(): Promise<void> {
    this.#started ??= new Promise((resolve) => {
      this.#running = this.#run(resolve);
    });
    return this.#started;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#session?.close({ topic: this.#options.statusTopic, payload: 'offline' });
    await this.#running;
  }

  /** Connects again and again until it is stopped. `onAttempt` is called when the first attempt has ended. */
  async #run(onAttempt: () => void): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#timing;
    let pauseMs = firstPauseMs;
    while (!this.#stop.signal.aborted) {
      const began = this.#options.clock.now().mono;
      const session = await this.#open();
      if (session && this.#stop.signal.aborted) session.drop(SHUTTING_DOWN);
      else if (session) this.#begin(session);
      onAttempt();
      if (session) this.#finish(await session.ended);
      // A connection that breaks as soon as it stands is a failure too: two clients of one name cut each other off.
      const stood = session !== null && this.#options.clock.now().mono - began > longestPauseMs;
      if (stood) pauseMs = firstPauseMs;
      await jitteredPause(this.#options.clock, pauseMs, this.#stop.signal);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  async #open(): Promise<MqttSession | null> {
    const { address, username, password, statusTopic } = this.#options;
    const options = {
      address,
      clientId: this.#clientId,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      will: { topic: statusTopic, payload: 'offline' },
      ...this.#timing,
    };
    try {
      const session = await openSession(options, this.#version, this.#stop.signal);
      this.#version = session.version;
      return session;
    } catch (error) {
      // Whoever runs there next may know more.
      this.#version = 5;
      if (!this.#stop.signal.aborted) this.#complain(messageOf(error), this.#advice(error));
      return null;
    }
  }

  #begin(session: MqttSession): void {
    this.#session = session;
    this.#trouble = undefined;
    session.begin((message) => this.#hear(session, message));
    const protocol = session.version === 5 ? 'MQTT 5' : 'MQTT 3.1.1';
    this.#options.log.info({ broker: this.#broker, protocol }, 'connected to the broker');
    this.#noticed.clear();
    this.#say(session);
    void this.#announce(session);
    this.#tell(true);
  }

  #finish(why: string): void {
    this.#session = null;
    this.#subscriptions.reset();
    this.#own.clear();
    if (!this.#stop.signal.aborted) this.#complain(why);
    this.#tell(false);
  }

  /** Says what is wrong once, not at every attempt. */
  #complain(trouble: string, advice?: string): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const details = { broker: this.#broker, trouble, ...(advice === undefined ? {} : { advice }) };
    this.#options.log.warn(details, 'no connection to the broker; trying again');
  }

  /** What a person can do about it. */
  #advice(error: unknown): string | undefined {
    if (!(error instanceof SessionError)) return undefined;
    if (error.kind === 'login') return 'check username and password under mqtt';
    if (error.kind !== 'unreachable') return undefined;
    return this.#options.address.tls
      ? 'check mqtt.broker and mqtt.ca'
      : 'check mqtt.broker, and whether the broker runs';
  }

  #hear(session: MqttSession, message: SessionMessage): void {
    const { topic, payload, retained, through } = message;
    if (topic.startsWith('$')) return;
    if (payload.byteLength > PAYLOAD_MAX) {
      this.#notice(topic, payload.byteLength);
      return;
    }
    if (session.version === 4 && !retained && this.#own.take(topic, payload)) return;
    this.#subscriptions.deliver({ topic, payload, retained, at: this.#options.clock.now() }, through);
  }

  #notice(topic: string, bytes: number): void {
    if (this.#noticed.has(topic) || this.#noticed.size >= NOTICES_MAX) return;
    this.#noticed.add(topic);
    this.#options.log.warn({ topic, bytes, most: PAYLOAD_MAX }, 'messages under this topic are too large, and dropped');
  }

  /** Tells the broker of new filters, all of one turn together. */
  #sync(): void {
    this.#syncing ??= Promise.resolve().then(() => {
      this.#syncing = null;
      if (this.#session) this.#say(this.#session);
    });
  }

  #say(session: MqttSession): void {
    const { number, subscribe, unsubscribe } = this.#subscriptions.change();
    // In this order no message is missed.
    const subscribed = session.subscribe(subscribe, number, (filters, refused) => {
      for (const filter of refused)
        this.#options.log.warn({ filter }, 'the broker does not let us listen to this topic');
      if (this.#subscriptions.subscribed(number, filters, refused)) this.#sync();
    });
    const unsubscribed = session.unsubscribe(unsubscribe, (filters) => this.#subscriptions.unsubscribed(filters));
    this.#inForce = Promise.all([this.#inForce, subscribed, unsubscribed]).then(() => undefined);
  }

  async #announce(session: MqttSession): Promise<void> {
    const topic = this.#options.statusTopic;
    const payload = 'online';
    const result = await session.publish({ topic, payload, qos: 1, retain: true }, () => {
      if (session.version === 4 && this.#subscriptions.hears(topic)) this.#own.expect(topic, payload);
    });
    if (result.type === 'refused') {
      this.#options.log.warn({ topic, detail: result.detail }, 'the broker does not take the status of the gateway');
    }
  }

  #tell(connected: boolean): void {
    for (const listener of [...this.#connectionListeners]) {
      try {
        listener(connected);
      } catch (error) {
        this.#options.log.error({ error: messageOf(error) }, 'a change of the connection could not be digested');
      }
    }
  }
}

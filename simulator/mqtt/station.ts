import { connect, type MqttClient } from 'mqtt';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { SimulatedHome } from '../core/home.ts';
import type { Dialect } from './dialect.ts';
import type { Message } from './message.ts';
import { Speaker } from './speaker.ts';

/** One client of the broker, and the devices that speak through it. */
export interface StationPlan {
  readonly clientId: string;
  /** Left with the broker, for the case that the connection dies. */
  readonly will: Message;
  /** Said at the beginning of every connection. */
  readonly birth: Message;
  readonly dialects: readonly Dialect[];
  /** True: the client is the device, and has no connection while that cannot be reached. False: it is a bridge. */
  readonly isDevice: boolean;
}

/** Devices do not give up on their broker. */
const RECONNECT_MS = 500;

/** A connection to the broker that is kept up while its device is there. */
export class Station {
  /** Resolves when its devices have announced themselves for the first time. */
  readonly announced: Promise<void>;
  readonly #plan: StationPlan;
  readonly #speakers: readonly Speaker[];
  readonly #onTrouble: (detail: string) => void;
  readonly #unsubscribe: (() => void)[] = [];
  #announce: () => void = () => undefined;
  #client: MqttClient | null = null;
  #stopped = false;

  constructor(plan: StationPlan, world: { home: SimulatedHome; clock: Clock; onTrouble: (detail: string) => void }) {
    this.#plan = plan;
    this.#onTrouble = world.onTrouble;
    this.announced = new Promise((resolve) => {
      this.#announce = resolve;
    });
    this.#speakers = plan.dialects.map((dialect) => {
      const device = world.home.device(dialect.model.id);
      return new Speaker(dialect, { device, clock: world.clock, publish: (message) => this.#publish(message) });
    });
  }

  /** @param url of the broker, which may come after the station was stopped already */
  start(url: string): void {
    if (this.#stopped) return;
    for (const speaker of this.#speakers) {
      speaker.start();
      if (!this.#plan.isDevice) continue;
      const onReachable = (reachable: boolean) => (reachable ? this.#connect(url) : this.#hangUp());
      this.#unsubscribe.push(
        speaker.device.subscribe((event) => event.type === 'reachable' && onReachable(event.reachable)),
      );
    }
    const isThere = !this.#plan.isDevice || this.#speakers.every(({ device }) => device.reachable);
    if (isThere) this.#connect(url);
  }

  /** Goes as a device goes that loses its power: the broker publishes the last will. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    for (const speaker of this.#speakers) speaker.stop();
    const client = this.#client;
    this.#client = null;
    await client?.endAsync(true);
  }

  #connect(url: string): void {
    const { clientId, will } = this.#plan;
    const client = connect(url, {
      clientId,
      will: { topic: will.topic, payload: Buffer.from(will.payload), retain: will.retain, qos: 0 },
      reconnectPeriod: RECONNECT_MS,
      resubscribe: false,
      queueQoSZero: false,
    });
    this.#client = client;
    client.on('connect', () => {
      this.#introduce(client).catch((error: unknown) => this.#onTrouble(messageOf(error)));
    });
    client.on('message', (topic, payload) => {
      for (const speaker of this.#speakers) speaker.hear(topic, payload.toString());
    });
    client.on('error', (error) => this.#onTrouble(troubleOf(error)));
  }

  #hangUp(): void {
    this.#client?.end(true);
    this.#client = null;
  }

  async #introduce(client: MqttClient): Promise<void> {
    // It hears before it is heard: whoever sees it announced may command it.
    await client.subscribeAsync([...new Set(this.#speakers.flatMap(({ dialect }) => dialect.filters))]);
    if (client !== this.#client) return;
    this.#publish(this.#plan.birth);
    for (const speaker of this.#speakers) speaker.greet();
    this.#announce();
  }

  #publish({ topic, payload, retain }: Message): void {
    if (this.#client?.connected) this.#client.publish(topic, payload, { qos: 0, retain });
  }
}

/** A name with several addresses fails with one error for each, and no words of its own. */
function troubleOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return messageOf(first ?? error);
}

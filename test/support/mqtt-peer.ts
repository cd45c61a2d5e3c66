import { connectAsync, type IClientPublishOptions, type MqttClient } from 'mqtt';
import type { Login } from './brokers.ts';

/** A message as it was heard. */
export interface Heard {
  readonly topic: string;
  readonly text: string;
  readonly retained: boolean;
}

/** Collects messages; each can be waited for. */
export class Inbox {
  readonly heard: Heard[] = [];
  readonly #waiting: (() => void)[] = [];

  /** A listener for a link. */
  readonly listener = (message: { topic: string; payload: Uint8Array; retained: boolean }): void => {
    const { topic, payload, retained } = message;
    this.heard.push({ topic, text: Buffer.from(payload).toString(), retained });
    for (const goOn of this.#waiting.splice(0)) goOn();
  };

  texts(topic?: string): string[] {
    return this.heard.filter((each) => topic === undefined || each.topic === topic).map(({ text }) => text);
  }

  /** Resolves when a text was heard. */
  async text(text: string): Promise<void> {
    await this.until(() => this.heard.some((each) => each.text === text));
  }

  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Another client of the broker: a device, or somebody who listens. */
export class MqttPeer {
  readonly inbox = new Inbox();
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on('message', (topic, payload, packet) => this.inbox.listener({ topic, payload, retained: packet.retain }));
    client.on('error', () => {});
  }

  /** @param options more of the package's own, such as `clientId` */
  static async connect(port: number, login?: Login, options: object = {}): Promise<MqttPeer> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { ...login, reconnectPeriod: 20, ...options });
    return new MqttPeer(client);
  }

  async hear(...filters: string[]): Promise<void> {
    await this.#client.subscribeAsync(filters, { qos: 1 });
  }

  async say(topic: string, text: string | Buffer, options: IClientPublishOptions = {}): Promise<void> {
    await this.#client.publishAsync(topic, text, { qos: 1, ...options });
  }

  /** Publishes all of them in one go, without a wait between. */
  async burst(messages: readonly (readonly [topic: string, text: string, options?: IClientPublishOptions])[]) {
    await Promise.all(messages.map(([topic, text, options]) => this.#client.publishAsync(topic, text, options ?? {})));
  }

  async end(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

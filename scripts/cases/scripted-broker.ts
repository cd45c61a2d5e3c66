import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Aedes, type AedesPublishPacket } from 'aedes';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import { type Case, type Message, wireText } from './case.ts';
import type { Received } from './received.ts';
import type { Happening, Timeline } from './timeline.ts';

/** A real broker with the device behind it, which speaks and answers as the case says. */
export class ScriptedBroker {
  /** The commands received, oldest first; questions are not among them. */
  readonly commands: Received[] = [];
  readonly #situation: Case;
  readonly #timeline: Timeline;
  readonly #broker = new Aedes();
  readonly #server: Server;
  #published: Promise<void> = Promise.resolve();
  #isCommand: (received: Received) => boolean = () => false;

  constructor(situation: Case, timeline: Timeline) {
    this.#situation = situation;
    this.#timeline = timeline;
    this.#server = createServer({ noDelay: true }, (socket) => this.#broker.handle(socket));
    // What the gateway publishes has a client; what the device says here has none.
    this.#broker.on('publish', (packet, client) => {
      if (client) this.#onGateway(packet);
    });
  }

  /** Opens the broker, with its retained messages on it. */
  async start(): Promise<void> {
    await this.#broker.listen();
    for (const message of this.#situation.retained) await this.#publish({ ...message, retain: true });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Says which of the messages are commands: those to a topic of the device, unless they only ask. */
  describe(config: DeviceConfig): void {
    const topics = new Set(texts(config));
    const questions = Object.values(config.fields).flatMap(({ read_now: ask }) =>
      typeof ask === 'object' ? [{ to: ask.topic, payload: wireText(ask.payload) }] : [],
    );
    this.#isCommand = ({ to, payload }) =>
      topics.has(to) && !questions.some((ask) => ask.to === to && samePayload(ask.payload, payload));
  }

  /** What the device says, and when. */
  happenings(): Happening[] {
    return this.#situation.mqtt.map((message) => ({ at: message.at, run: () => void this.#publish(message) }));
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#broker.close(() => resolve()));
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #onGateway(packet: AedesPublishPacket): void {
    const received = { to: packet.topic, payload: packet.payload.toString() };
    if (this.#isCommand(received)) {
      this.commands.push(received);
      this.#timeline.begin();
    }
    for (const { topic, payload, after, reply } of this.#situation.answers) {
      if (topic !== received.to) continue;
      if (payload !== undefined && !samePayload(wireText(payload), received.payload)) continue;
      this.#timeline.after(after, () => void this.#publish(reply));
    }
  }

  /** One after another: a message that overtakes a retained one makes aedes take that for a copy and drop it. */
  #publish({ topic, payload, retain = false }: Message): Promise<void> {
    const packet = { cmd: 'publish', topic, payload: wireText(payload), qos: 0, dup: false, retain } as const;
    this.#published = this.#published.then(
      () =>
        new Promise((resolve, reject) => {
          this.#broker.publish(packet, (error) => (error ? reject(error) : resolve()));
        }),
    );
    return this.#published;
  }
}

/** Every text in a device, with Home Assistant's `~` filled in: its topics are among them. */
function texts(node: unknown, base = ''): string[] {
  if (typeof node === 'string') return [node, node.replace(/^~|~$/, base)];
  if (typeof node !== 'object' || node === null) return [];
  const here = '~' in node && typeof node['~'] === 'string' ? node['~'] : base;
  return Object.values(node).flatMap((child) => texts(child, here));
}

function samePayload(expected: string, got: string): boolean {
  return expected === got || isDeepStrictEqual(parsed(expected), parsed(got));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

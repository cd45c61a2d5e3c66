import { readFileSync } from 'node:fs';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import type { DiscoveryRule } from '../../gateway/config/schema-discovery.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import { type Discovery, startDiscovery } from '../../gateway/devices/discovery/discovery.ts';
import { DeviceRegistry } from '../../gateway/devices/registry.ts';
import type { Device, SendReport } from '../../gateway/domain/device.ts';
import type { Log } from '../../gateway/domain/log.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { FakeLink } from './fake-link.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A recorded discovery message with the traffic of its device. */
interface Fixture {
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly traffic: readonly {
    readonly dir?: 'out';
    readonly topic: string;
    readonly payload: unknown;
    readonly retain?: boolean;
  }[];
}

/** What discovery is told where a home has no devices of its own and takes in all others. */
export const OPEN_TO_ALL = { statusTopic: 'readback/status', allow: null, configured: () => ({}) } as const;

export function discoveryFixture(name: string): Fixture {
  const url = new URL(`../fixtures/discovery/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Fixture;
}

/** What a home may have beside what is announced to it. */
export interface DiscoveredHomeOptions {
  readonly configured?: Readonly<Record<string, DeviceConfig>>;
  readonly allow?: readonly DiscoveryRule[];
}

/** A home that knows its own devices and what is announced to it, on a broker in memory. */
export class DiscoveredHome {
  readonly clock = new VirtualClock();
  readonly link = new FakeLink(this.clock);
  readonly logged: { readonly level: string; readonly details: object; readonly message: string }[] = [];
  readonly registry: DeviceRegistry;
  /** What the configuration says now; a test may change it. */
  configured: Readonly<Record<string, DeviceConfig>>;
  readonly #allow: readonly DiscoveryRule[] | null;
  #discovery: Discovery | null = null;

  constructor({ configured = {}, allow }: DiscoveredHomeOptions = {}) {
    this.configured = configured;
    this.#allow = allow ?? null;
    this.registry = new DeviceRegistry(
      new Map(Object.entries(configured).map(([id, config]) => [id, this.build(id, config)])),
    );
  }

  /** A device as the configuration describes it. */
  build(id: string, config: DeviceConfig): Device {
    return buildDevice(id, config, { clock: this.clock, mqtt: this.link });
  }

  async start(): Promise<this> {
    const write = (level: string) => (details: object, message: string) =>
      this.logged.push({ level, details, message });
    const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
    const { clock, link, registry } = this;
    await registry.start();
    this.#discovery = await startDiscovery({
      ...OPEN_TO_ALL,
      link,
      registry,
      clock,
      log,
      prefix: 'homeassistant',
      allow: this.#allow,
      configured: () => this.configured,
    });
    return this;
  }

  get discovery(): Discovery {
    if (!this.#discovery) throw new Error('the home has not been started');
    return this.#discovery;
  }

  /** What is left out, each as `topic component: reason`. */
  get leftOut(): string[] {
    return this.discovery.leftOut().map(({ topic, component, reason }) => `${topic} ${component}: ${reason}`);
  }

  /** Publishes a discovery message, or withdraws what it said, and waits until it is dealt with. */
  async announce(topic: string, payload: unknown): Promise<void> {
    await this.link.say(topic, payload ?? '', true);
    await this.discovery.idle();
  }

  /** Announces the device of a fixture and plays its traffic up to and without index `until`. */
  async play(name: string, until = Number.POSITIVE_INFINITY): Promise<void> {
    const { topic, payload, traffic } = discoveryFixture(name);
    await this.announce(topic, payload);
    for (const message of traffic.slice(0, until)) {
      if (message.dir !== 'out') await this.link.say(message.topic, message.payload, message.retain);
    }
  }

  get ids(): string[] {
    return this.registry.list().map((device) => device.spec.id);
  }

  device(id: string): Device {
    const device = this.registry.get(id);
    if (!device) throw new Error(`there is no ${id}, but ${this.ids.join(', ')}`);
    return device;
  }

  /** What is known of a device, in our words. */
  values(id: string): Record<string, Value | null> {
    const { values } = this.device(id).state();
    return Object.fromEntries(Object.entries(values).map(([field, known]) => [field, known.value]));
  }

  /** Commands a device. @returns what it published, and what was reported */
  async send(id: string, wants: Record<string, Value>) {
    const reports: SendReport[] = [];
    const first = this.link.published.length;
    await this.device(id).send(wants, (report) => reports.push(report), new AbortController().signal);
    return { published: this.link.published.slice(first).map(({ topic, payload }) => [topic, payload]), reports };
  }

  async stop(): Promise<void> {
    await this.#discovery?.stop();
  }
}

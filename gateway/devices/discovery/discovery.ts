import type { DeviceConfig } from '../../config/schema-device.ts';
import type { DiscoveryRule } from '../../config/schema-discovery.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import type { Clock } from '../../domain/time.ts';
import type { MqttLink } from '../../transports/mqtt-link.ts';
import { buildDevice } from '../build-device.ts';
import { topicsOf } from '../device-topics.ts';
import type { DeviceRegistry } from '../registry.ts';
import { isAllowed } from './allow-list.ts';
import type { Announcement, DiscoveryNews } from './announcement.ts';
import { mayConcern, readDiscovery } from './home-assistant.ts';
import { chooseId } from './ids.ts';
import { Intake } from './intake.ts';
import { LeftOut, type Omission } from './left-out.ts';
import { readTasmota, TASMOTA_FILTER } from './tasmota.ts';
import { type ConfiguredTopics, TopicRights } from './topic-rights.ts';

/** Devices that may announce themselves. */
const MAX_DEVICES = 500;
/** A start waits this long for what the broker has kept, in ms; a flood of it is no reason to stay away. */
const PATIENCE_MS = 5_000;

export interface DiscoveryOptions {
  readonly link: MqttLink;
  readonly registry: DeviceRegistry;
  readonly clock: Clock;
  readonly log: Log;
  /** Home Assistant's discovery prefix. */
  readonly prefix: string;
  /** Where the gateway itself publishes. */
  readonly statusTopic: string;
  /** Which devices are wanted; null: all of them. */
  readonly allow: readonly DiscoveryRule[] | null;
  /** The devices of the configuration as they are now. */
  readonly configured: () => Readonly<Record<string, DeviceConfig>>;
}

export interface Discovery {
  /** Resolves once every message that has come so far is dealt with. */
  idle(): Promise<void>;
  /** What announced itself and is not taken in, and why. */
  leftOut(): readonly Omission[];
  /**
   * To be called when the devices of the configuration have changed: lets those go that stand in their way, and looks at
   * everything that the broker has kept again. Resolves when the broker has been asked for it.
   */
  review(): Promise<void>;
  /** Listens no more. The devices stay; they belong to the registry. */
  stop(): Promise<void>;
}

/**
 * Takes in the devices that announce themselves, follows their changes, and lets them go when they withdraw; README.md
 * says what nobody can do who may publish there. Resolves once the broker has been told, with the devices that were there
 * by then.
 */
export async function startDiscovery(options: DiscoveryOptions): Promise<Discovery> {
  const discovery = new RunningDiscovery(options);
  await discovery.start();
  return discovery;
}

/** A device that is there because a message says so. */
interface Entry {
  readonly id: string;
  readonly component: string;
  readonly fingerprint: string;
  /** The topic that describes it; null while one message hands it over to another. */
  source: string | null;
}

class RunningDiscovery implements Discovery {
  readonly #options: DiscoveryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #rights: TopicRights;
  readonly #leftOut: LeftOut;
  readonly #intake: Intake;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: DiscoveryOptions) {
    const { prefix, statusTopic, configured, clock, log } = options;
    this.#options = options;
    this.#leftOut = new LeftOut(log);
    this.#rights = new TopicRights({
      reserved: [statusTopic, `${prefix}/#`, 'tasmota/discovery/#'],
      configured: () => topicsById(configured()),
    });
    this.#intake = new Intake({
      clock,
      take: (topic, text) => this.#read(topic, text),
      refuse: (topic, reason) => this.#leftOut.add(topic, '', reason),
    });
  }

  async start(): Promise<void> {
    const { clock } = this.#options;
    await this.#listen();
    let cancel = () => {};
    const patience = new Promise<void>((resolve) => {
      cancel = clock.at(clock.now().mono + PATIENCE_MS, resolve);
    });
    await Promise.race([this.idle(), patience]);
    cancel();
  }

  async idle(): Promise<void> {
    await this.#intake.idle();
  }

  leftOut(): readonly Omission[] {
    return this.#leftOut.list();
  }

  async review(): Promise<void> {
    const lapsed = this.#rights.lapsed();
    for (const [key, entry] of this.#entries) {
      const flaw = lapsed.get(entry.id);
      if (flaw === undefined && !this.#options.registry.isConfigured(entry.id)) continue;
      await this.#remove(key, entry);
    }
    // Whoever subscribes anew is told once more what the broker has kept.
    this.#endListening();
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#endListening();
    await this.#intake.stop();
  }

  async #listen(): Promise<void> {
    const { link, prefix } = this.#options;
    for (const filter of [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`]) {
      this.#unsubscribe.push(
        link.subscribe(filter, (message) => {
          if (mayConcern(message.topic.slice(prefix.length + 1))) this.#intake.push(message);
        }),
      );
    }
    this.#unsubscribe.push(link.subscribe(TASMOTA_FILTER, (message) => this.#intake.push(message)));
    await link.subscribed();
  }

  #endListening(): void {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
  }

  async #read(topic: string, text: string): Promise<void> {
    const { prefix, log } = this.#options;
    try {
      const below = topic.slice(prefix.length + 1);
      await this.#take(topic, topic.startsWith(`${prefix}/`) ? readDiscovery(below, text) : readTasmota(text));
    } catch (error) {
      log.error({ topic, error: messageOf(error) }, 'a discovery message failed inside');
    }
  }

  async #take(topic: string, news: DiscoveryNews): Promise<void> {
    switch (news.type) {
      case 'broken':
        this.#leftOut.add(topic, '', `the message cannot be read: ${news.detail}`);
        return;
      case 'gone':
        this.#leftOut.remove(topic);
        for (const [key, entry] of this.#entries) if (entry.source === topic) await this.#remove(key, entry);
        return;
      case 'handed_over':
        for (const entry of this.#entries.values()) if (entry.source === topic) entry.source = null;
        return;
      case 'announced':
        this.#leftOut.remove(topic, news.withdrawn);
        if (news.announcements.every(({ component }) => component !== '')) this.#leftOut.remove(topic, ['']);
        for (const [key, entry] of this.#entries) {
          const isWithdrawn = entry.source === topic && news.withdrawn.includes(entry.component);
          if (isWithdrawn) await this.#remove(key, entry);
        }
        for (const announcement of news.announcements) {
          const reason = await this.#announce(topic, announcement);
          if (reason === undefined) this.#leftOut.remove(topic, [announcement.component]);
          else this.#leftOut.add(topic, announcement.component, reason);
        }
        return;
    }
  }

  /** Takes a device in, or its new description. @returns why not, where it does not */
  async #announce(topic: string, announcement: Announcement): Promise<string | undefined> {
    const { registry, log, clock, link, allow } = this.#options;
    const { key, component, owner, about, fingerprint } = announcement;
    const entry = this.#entries.get(key);
    if (entry && entry.source !== null && entry.source !== topic) {
      return `${entry.source} announces ${entry.id} already`;
    }
    if (entry?.fingerprint === fingerprint) {
      entry.source = topic;
      return undefined;
    }
    if (!entry && this.#entries.size >= MAX_DEVICES) return `${MAX_DEVICES} devices have announced themselves`;
    const id = entry?.id ?? chooseId(announcement, (taken) => registry.get(taken) !== undefined);
    const imported = announcement.build(id);
    if (!imported.ok) return imported.reason;
    const claim = { id, owner, ...topicsOf(imported.config) };
    if (allow && !isAllowed(allow, { topic, about, publishes: claim.publishes })) {
      return 'no rule of mqtt.discovery.allow allows it';
    }
    const flaw = this.#rights.flaw(claim);
    if (flaw !== undefined) return flaw;
    const device = buildDevice(id, imported.config, { clock, mqtt: link });
    // Before anything is waited for: a review that comes meanwhile has to see it.
    this.#rights.grant(claim);
    this.#entries.set(key, { id, component, fingerprint, source: topic });
    if (!(await registry.put(device))) {
      this.#rights.release(id);
      this.#entries.delete(key);
      return `${id} is a device of the configuration`;
    }
    const { caveats } = imported.config;
    log.info({ device: id, topic, ...(caveats.length > 0 && { caveats }) }, 'a device announced itself');
    return undefined;
  }

  async #remove(key: string, { id }: Entry): Promise<void> {
    this.#entries.delete(key);
    this.#rights.release(id);
    await this.#options.registry.remove(id);
    this.#options.log.info({ device: id }, 'a device withdrew');
  }
}

function topicsById(devices: Readonly<Record<string, DeviceConfig>>): ConfiguredTopics[] {
  return Object.entries(devices).map(([id, config]) => ({ id, ...topicsOf(config) }));
}

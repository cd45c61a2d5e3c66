import { messageOf } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import { knownOf } from '../../domain/plan.ts';
import type { Clock } from '../../domain/time.ts';
import type { MqttLink, MqttMessage } from '../../transports/mqtt-link.ts';
import { buildDevice } from '../build-device.ts';
import type { DeviceRegistry } from '../registry.ts';
import type { Announcement, DiscoveryNews } from './announcement.ts';
import { readDiscovery } from './home-assistant.ts';
import { chooseId } from './ids.ts';
import { readTasmota, TASMOTA_FILTER } from './tasmota.ts';

/** Devices that may announce themselves. */
const MAX_DEVICES = 500;
/** Largest message, in bytes. */
const MAX_MESSAGE = 256 * 1024;
/** Topics whose message waits to be looked at: more than that is no home any more. */
const MAX_WAITING = 5_000;

export interface DiscoveryOptions {
  readonly link: MqttLink;
  readonly registry: DeviceRegistry;
  readonly clock: Clock;
  readonly log: Log;
  /** Home Assistant's discovery prefix. */
  readonly prefix: string;
}

export interface Discovery {
  /** Resolves once every message that has come so far is dealt with. */
  idle(): Promise<void>;
  /** Listens no more. The devices stay; they belong to the registry. */
  stop(): Promise<void>;
}

/**
 * Takes in the devices that announce themselves, follows their changes, and lets them go when they withdraw. Resolves once
 * the broker has been told, with the devices that were there by then.
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
  /** Topic → its latest message. */
  readonly #waiting = new Map<string, { readonly text: string; readonly read: (text: string) => DiscoveryNews }>();
  readonly #unsubscribe: (() => void)[] = [];
  #working: Promise<void> | null = null;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { link, prefix } = this.#options;
    const below = (topic: string) => topic.slice(prefix.length + 1);
    for (const filter of [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`]) {
      this.#unsubscribe.push(
        link.subscribe(filter, (message) => this.#hear(message, (text) => readDiscovery(below(message.topic), text))),
      );
    }
    this.#unsubscribe.push(link.subscribe(TASMOTA_FILTER, (message) => this.#hear(message, readTasmota)));
    await link.subscribed();
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#waiting.clear();
    await this.idle();
  }

  #hear({ topic, payload }: MqttMessage, read: (text: string) => DiscoveryNews): void {
    const { log } = this.#options;
    if (payload.byteLength > MAX_MESSAGE) {
      log.warn({ topic, bytes: payload.byteLength }, 'a discovery message is too large and is left out');
      return;
    }
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(topic)) {
      log.warn({ topic }, 'there are too many discovery messages; this one is left out');
      return;
    }
    this.#waiting.set(topic, { text: new TextDecoder().decode(payload), read });
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** One message after another: what a message does to the registry is done before the next is looked at. */
  async #work(): Promise<void> {
    for (;;) {
      // Between two messages everything else has its turn, however many come at once.
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.#waiting;
      if (!next) return;
      const [topic, { text, read }] = next;
      this.#waiting.delete(topic);
      try {
        await this.#take(topic, read(text));
      } catch (error) {
        this.#options.log.error({ topic, error: messageOf(error) }, 'a discovery message failed inside');
      }
    }
  }

  async #take(topic: string, news: DiscoveryNews): Promise<void> {
    switch (news.type) {
      case 'broken':
        this.#options.log.warn({ topic, detail: news.detail }, 'a discovery message cannot be read');
        return;
      case 'gone':
        for (const [key, entry] of this.#entries) if (entry.source === topic) await this.#remove(key, entry);
        return;
      case 'handed_over':
        for (const entry of this.#entries.values()) if (entry.source === topic) entry.source = null;
        return;
      case 'announced':
        for (const [key, entry] of this.#entries) {
          const isWithdrawn = entry.source === topic && news.withdrawn.includes(entry.component);
          if (isWithdrawn) await this.#remove(key, entry);
        }
        for (const announcement of news.announcements) await this.#announce(topic, announcement);
        return;
    }
  }

  async #announce(topic: string, announcement: Announcement): Promise<void> {
    const { registry, log, clock, link } = this.#options;
    const { key, component, fingerprint } = announcement;
    const entry = this.#entries.get(key);
    if (entry && entry.source !== null && entry.source !== topic) {
      log.warn({ topic, device: entry.id }, `it is announced by ${entry.source} already and is left out here`);
      return;
    }
    if (entry?.fingerprint === fingerprint) {
      entry.source = topic;
      return;
    }
    if (!entry && this.#entries.size >= MAX_DEVICES) {
      log.warn({ topic }, `${MAX_DEVICES} devices have announced themselves; this one is left out`);
      return;
    }
    const id = entry?.id ?? chooseId(announcement, (taken) => registry.get(taken) !== undefined);
    const imported = announcement.build(id);
    if (!imported.ok) {
      log.warn({ topic, component, reason: imported.reason }, 'an announced device is left out');
      return;
    }
    const device = buildDevice(id, imported.config, { clock, mqtt: link });
    const earlier = registry.get(id);
    if (earlier) device.recall(knownOf(earlier.state()));
    this.#entries.set(key, { id, component, fingerprint, source: topic });
    await registry.put(device);
    const { caveats } = imported.config;
    log.info({ device: id, topic, ...(caveats.length > 0 && { caveats }) }, 'a device announced itself');
  }

  async #remove(key: string, { id }: Entry): Promise<void> {
    this.#entries.delete(key);
    await this.#options.registry.remove(id);
    this.#options.log.info({ device: id }, 'a device withdrew');
  }
}

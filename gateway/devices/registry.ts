import type { HomeConfig } from '../config/schema.ts';
import type { Device, DeviceChange, DeviceDirectory } from '../domain/device.ts';
import { knownOf } from '../domain/plan.ts';
import { buildDevice, type DeviceDeps } from './build-device.ts';

/**
 * All devices of the home, by id: those of the configuration, and others as they announce themselves. An id of the
 * configuration is its own: nobody who announces something comes near it.
 */
export class DeviceRegistry implements DeviceDirectory {
  readonly #devices: Map<string, Device>;
  readonly #configured: Set<string>;
  readonly #listeners = new Set<(change: DeviceChange) => void>();
  /** Settles when the changes so far are done: two at once could leave one device in another's place. */
  #changed: Promise<unknown> = Promise.resolve();

  /** @param configured those of the configuration */
  constructor(configured: ReadonlyMap<string, Device>) {
    this.#devices = new Map(configured);
    this.#configured = new Set(configured.keys());
  }

  get(id: string): Device | undefined {
    return this.#devices.get(id);
  }

  /** In the order of the configuration, then in that of their arrival. */
  list(): readonly Device[] {
    return [...this.#devices.values()];
  }

  subscribe(listener: (change: DeviceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts all of them; where one cannot start, those that did are stopped again. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.list().map((device) => device.start()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.list().map((device) => device.stop()));
  }

  /** Whether the configuration describes the device of this id. */
  isConfigured(id: string): boolean {
    return this.#configured.has(id);
  }

  /**
   * Takes in a device that announced itself, in the place of an earlier description of it.
   * @returns whether it did: not under an id of the configuration
   */
  put(device: Device): Promise<boolean> {
    return this.#change(async () => {
      if (this.isConfigured(device.spec.id)) return false;
      await this.#set(device);
      return true;
    });
  }

  /** Lets a device go that withdrew. */
  remove(id: string): Promise<void> {
    return this.#change(async () => {
      if (!this.isConfigured(id)) await this.#delete(id);
    });
  }

  /**
   * Takes in a device as the configuration describes it now, in the place of whatever had its id. What is known of its
   * fields stays known; commands go on with it.
   */
  replace(device: Device): Promise<void> {
    return this.#change(async () => {
      this.#configured.add(device.spec.id);
      await this.#set(device);
    });
  }

  /** Lets a device go that the configuration names no more. */
  drop(id: string): Promise<void> {
    return this.#change(async () => {
      if (this.#configured.delete(id)) await this.#delete(id);
    });
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const change = this.#changed.then(work);
    this.#changed = change.catch(() => undefined);
    return change;
  }

  async #set(device: Device): Promise<void> {
    const { id } = device.spec;
    const earlier = this.#devices.get(id);
    if (earlier) device.recall(knownFields(earlier, device));
    this.#devices.set(id, device);
    await device.start();
    this.#tell({ type: 'present', device });
    await earlier?.stop();
  }

  async #delete(id: string): Promise<void> {
    const device = this.#devices.get(id);
    if (!device) return;
    this.#devices.delete(id);
    this.#tell({ type: 'gone', device });
    await device.stop();
  }

  #tell(change: DeviceChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }
}

/** What was known of a device, as far as it still has the field. */
function knownFields(earlier: Device, { spec }: Device): ReturnType<typeof knownOf> {
  const known = Object.entries(knownOf(earlier.state()));
  return Object.fromEntries(known.filter(([field]) => Object.hasOwn(spec.fields, field)));
}

/** @throws StartError for the first device whose configuration cannot be carried out, naming the key */
export function buildRegistry(config: Pick<HomeConfig, 'devices'>, deps: DeviceDeps): DeviceRegistry {
  const devices = Object.entries(config.devices).map(([id, device]) => [id, buildDevice(id, device, deps)] as const);
  return new DeviceRegistry(new Map(devices));
}

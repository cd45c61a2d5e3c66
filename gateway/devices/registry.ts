import type { HomeConfig } from '../config/schema.ts';
import type { Device, DeviceChange, DeviceDirectory } from '../domain/device.ts';
import { buildDevice, type DeviceDeps } from './build-device.ts';

/** All devices of the home, by id: those of the configuration from the start, others as they announce themselves. */
export class DeviceRegistry implements DeviceDirectory {
  readonly #devices: Map<string, Device>;
  readonly #listeners = new Set<(change: DeviceChange) => void>();

  constructor(devices: ReadonlyMap<string, Device>) {
    this.#devices = new Map(devices);
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

  /** Takes in a device that announced itself, in the place of an earlier description of it. */
  async put(device: Device): Promise<void> {
    const { id } = device.spec;
    const earlier = this.#devices.get(id);
    this.#devices.set(id, device);
    await device.start();
    this.#tell({ type: 'present', device });
    await earlier?.stop();
  }

  /** Lets a device go that withdrew. */
  async remove(id: string): Promise<void> {
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

/** @throws StartError for the first device whose configuration cannot be carried out, naming the key */
export function buildRegistry(config: Pick<HomeConfig, 'devices'>, deps: DeviceDeps): DeviceRegistry {
  const devices = Object.entries(config.devices).map(([id, device]) => [id, buildDevice(id, device, deps)] as const);
  return new DeviceRegistry(new Map(devices));
}

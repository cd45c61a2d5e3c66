import type { HomeConfig } from '../config/schema.ts';
import type { Device } from '../domain/device.ts';
import { buildHttpDevice, type DeviceDeps } from './http-device.ts';

/** All devices of the home, by id. */
export class DeviceRegistry {
  readonly #devices: ReadonlyMap<string, Device>;

  constructor(devices: ReadonlyMap<string, Device>) {
    this.#devices = devices;
  }

  get(id: string): Device | undefined {
    return this.#devices.get(id);
  }

  /** In the order of the configuration. */
  list(): readonly Device[] {
    return [...this.#devices.values()];
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
}

/** @throws StartError for the first device whose configuration cannot be carried out, naming the key */
export function buildRegistry(config: Pick<HomeConfig, 'devices'>, deps: DeviceDeps): DeviceRegistry {
  const devices = Object.entries(config.devices).map(
    ([id, device]) => [id, buildHttpDevice(id, device, deps)] as const,
  );
  return new DeviceRegistry(new Map(devices));
}

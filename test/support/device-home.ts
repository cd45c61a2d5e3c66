import { Engine } from '../../gateway/actuation/engine.ts';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { parseDevice } from '../../gateway/config/load.ts';
import { buildRegistry, type DeviceRegistry } from '../../gateway/devices/registry.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { Device } from '../../gateway/domain/device.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const LIFETIME_MS = 60_000;

/** The real gateway without its doors and its disk, for devices over real sockets and in real time. */
export class DeviceHome {
  readonly #registry: DeviceRegistry;
  readonly #engine: Engine;

  /** @param devices as they are written in YAML */
  constructor(devices: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
    const clock = systemClock();
    const configs = Object.entries(devices).map(([id, written]) => [id, parseDevice(written, id)] as const);
    this.#registry = buildRegistry({ devices: Object.fromEntries(configs) }, { clock });
    const { tasks: store, ...kept } = memoryHomeStore();
    const lifetime = { ttlMs: LIFETIME_MS, approvalTtlMs: LIFETIME_MS };
    this.#engine = new Engine({ devices: this.#registry, store, ...kept, clock, log: silent, ...lifetime });
  }

  async start(): Promise<this> {
    await this.#registry.start();
    await this.#engine.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.#engine.stop();
    await this.#registry.stop();
  }

  device(id: string): Device {
    const device = this.#registry.get(id);
    if (!device) throw new Error(`there is no device ${id}`);
    return device;
  }

  submit(deviceId: string, set: Readonly<Record<string, unknown>>): Promise<Actuation> {
    return this.#engine.submit({ deviceId, set, principal: 'test' });
  }

  /** The command when it has settled. */
  async settled({ taskId }: Actuation): Promise<Actuation> {
    const settled = await this.#engine.settled(taskId, 'test', LIFETIME_MS);
    if (!settled?.outcome) throw new Error('the command did not settle');
    return settled;
  }

  /** Gives a command, and waits for its end. */
  async command(deviceId: string, set: Readonly<Record<string, unknown>>): Promise<Actuation> {
    return this.settled(await this.submit(deviceId, set));
  }
}

/** `verified`, `unreachable/timeout`: how a command ended. */
export function ending({ outcome }: Actuation): string {
  if (outcome?.type !== 'verdict') return outcome?.type ?? 'open';
  return outcome.reason === null ? outcome.verdict : `${outcome.verdict}/${outcome.reason}`;
}

/** Resolves when a device is known to be so. */
export async function until(device: Device, fits: (device: Device) => boolean): Promise<void> {
  if (fits(device)) return;
  await new Promise<void>((resolve) => {
    const end = device.subscribe(() => {
      if (!fits(device)) return;
      end();
      resolve();
    });
  });
}

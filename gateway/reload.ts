import { type ConfigChanges, changesBetween } from './config/changes.ts';
import type { HomeConfig } from './config/schema.ts';
import { buildDevice, type DeviceDeps } from './devices/build-device.ts';
import type { Discovery } from './devices/discovery/discovery.ts';
import type { DeviceRegistry } from './devices/registry.ts';
import type { Log } from './domain/log.ts';
import type { Tokens } from './http/tokens.ts';

/** What a new configuration is taken over by. */
export interface ReloadParts {
  readonly registry: DeviceRegistry;
  readonly devices: DeviceDeps;
  /** Null where no device is asked to announce itself. */
  readonly discovery: Discovery | null;
  readonly tokens: Tokens;
  readonly log: Log;
}

/**
 * The configuration that is in force. Whoever needs a setting that may change reads it here each time; devices and tokens
 * are told.
 */
export class LiveHome {
  #current: HomeConfig;

  constructor(home: HomeConfig) {
    this.#current = home;
  }

  get current(): HomeConfig {
    return this.#current;
  }

  /**
   * Takes over what has changed and can change while the gateway runs, and says so line by line. Tasks stay: a device that
   * changed goes on with its commands as after a restart, and those of one that is gone wait for it to come back.
   * @throws StartError or UserError where it cannot be carried out, in words for the owner; then nothing has changed
   */
  async take(next: HomeConfig, { registry, devices, discovery, tokens, log }: ReloadParts): Promise<ConfigChanges> {
    const changes = changesBetween(this.#current, next);
    const { added, changed, removed } = changes.devices;
    // Whatever can fail comes first.
    const built = [...added, ...changed].flatMap((id) => {
      const config = next.devices[id];
      return config ? [buildDevice(id, config, devices)] : [];
    });
    await tokens.configure(next.tokens);
    const { server, data, mqtt } = this.#current;
    const { data: _later, ...rest } = next;
    // What counts from the next start stays as it is in force, and is told of until then.
    this.#current = { ...rest, server, mqtt, ...(data !== undefined && { data }) };
    for (const id of removed) await registry.drop(id);
    for (const device of built) await registry.replace(device);
    if (built.length > 0 || removed.length > 0) await discovery?.review();
    tell(changes, log);
    return changes;
  }
}

function tell({ devices, settings, later }: ConfigChanges, log: Log): void {
  for (const device of devices.added) log.info({ device }, 'the configuration has a new device');
  for (const device of devices.changed) log.info({ device }, 'the configuration describes a device anew');
  for (const device of devices.removed) log.info({ device }, 'the configuration has a device no more');
  for (const key of settings) log.info({ key }, 'a setting was taken over');
  for (const key of later) log.warn({ key }, 'a setting has changed that counts from the next start');
  const count = Object.values(devices).flat().length + settings.length + later.length;
  log.info({ changes: count }, 'the configuration was read again');
}

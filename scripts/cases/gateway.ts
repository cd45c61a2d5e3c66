import { Engine } from '../../gateway/actuation/engine.ts';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import { buildRegistry } from '../../gateway/devices/registry.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { Log } from '../../gateway/domain/log.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';

/** The real gateway without its doors, for one device. */
export interface CaseGateway {
  recall(values: Readonly<Record<string, Value | null>>): void;
  submit(set: Readonly<Record<string, unknown>>): Promise<Actuation>;
  /** Hears every new durable state of the command. */
  subscribe(listener: (actuation: Actuation) => void): () => void;
  /** Hears of every drift after a verdict. */
  onDrift(listener: () => void): void;
  stop(): Promise<void>;
}

const DEVICE_ID = 'device';

/** Longer than any situation. */
const TTL_MS = 3_600_000;

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** @throws StartError where the device cannot be carried out */
export async function startCaseGateway(config: DeviceConfig, _brokerUrl: string): Promise<CaseGateway> {
  const clock = systemClock();
  const registry = buildRegistry({ devices: { [DEVICE_ID]: config } }, { clock });
  const { tasks, habits, aftermaths } = memoryHomeStore();
  await registry.start();
  const engine = new Engine({
    devices: registry,
    store: tasks,
    habits,
    aftermaths,
    clock,
    log: SILENT,
    ttlMs: TTL_MS,
    approvalTtlMs: TTL_MS,
  });
  await engine.start();
  return {
    recall: (values) => registry.get(DEVICE_ID)?.recall(values),
    submit: (set) => engine.submit({ deviceId: DEVICE_ID, set, principal: 'cases' }),
    subscribe: (listener) => engine.subscribe(listener),
    onDrift: (listener) => void engine.onDrift(listener),
    async stop() {
      await engine.stop();
      await registry.stop();
      await tasks.close();
    },
  };
}

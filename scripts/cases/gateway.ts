import { Engine } from '../../gateway/actuation/engine.ts';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import { mqttSchema } from '../../gateway/config/schema-mqtt.ts';
import { buildRegistry } from '../../gateway/devices/registry.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { Log } from '../../gateway/domain/log.ts';
import type { Clock } from '../../gateway/domain/time.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { startMqtt } from '../../gateway/mqtt.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { type Undo, undoAll } from '../../gateway/undo.ts';

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

/**
 * @param brokerPort where the broker listens on this machine
 * @throws StartError where the device cannot be carried out
 */
export async function startCaseGateway(config: DeviceConfig, brokerPort: number, clock: Clock): Promise<CaseGateway> {
  const undo: Undo[] = [];
  const stop = () => undoAll(undo);
  try {
    const { tasks, habits, aftermaths, history } = memoryHomeStore();
    undo.push(() => tasks.close());
    const mqtt = await startMqtt(mqttSchema.parse({ broker: `127.0.0.1:${brokerPort}` }), { clock, log: SILENT });
    undo.push(() => mqtt.stop());
    const registry = buildRegistry({ devices: { [DEVICE_ID]: config } }, { clock, mqtt: mqtt.link });
    await registry.start();
    undo.push(() => registry.stop());
    const lifetime = { ttlMs: TTL_MS, approvalTtlMs: TTL_MS };
    const engine = new Engine({
      devices: registry,
      store: tasks,
      habits,
      aftermaths,
      history,
      clock,
      log: SILENT,
      ...lifetime,
    });
    await engine.start();
    undo.push(() => engine.stop());
    return {
      recall: (values) => registry.get(DEVICE_ID)?.recall(values),
      submit: (set) => engine.submit({ deviceId: DEVICE_ID, set, principal: 'cases' }),
      subscribe: (listener) => engine.subscribe(listener),
      onDrift: (listener) => void engine.onDrift(listener),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

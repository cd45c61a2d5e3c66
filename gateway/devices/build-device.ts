import type { DeviceConfig } from '../config/schema-device.ts';
import type { FieldConfig } from '../config/schema-field.ts';
import type { Device } from '../domain/device.ts';
import { StartError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import type { Clock } from '../domain/time.ts';
import { HttpTransport } from '../transports/http-transport.ts';
import type { MqttLink } from '../transports/mqtt-link.ts';
import { fieldsNamed } from './applies.ts';
import { CompositeDevice } from './composite-device.ts';
import { DeviceMemory } from './device-memory.ts';
import type { DevicePart } from './device-part.ts';
import { compileSpec } from './device-spec.ts';
import { HttpPart } from './http-part.ts';
import { compileHttpPlan } from './http-plan.ts';
import { MqttPart } from './mqtt-part.ts';
import { compileMqttPlan } from './mqtt-plan.ts';

/** What a device needs from the rest of the gateway. */
export interface DeviceDeps {
  readonly clock: Clock;
  /** The connection to the broker; absent where nothing of the home uses MQTT. */
  readonly mqtt?: MqttLink;
  /** Where a device says what it does not get along with; nowhere where it is left out. */
  readonly log?: Log;
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * A device from its entry in the configuration. Its fields may go over HTTP, over MQTT, or some each way: a field that is
 * written by a request can be read from a topic.
 * @throws StartError where the entry cannot be carried out, naming the key
 */
export function buildDevice(id: string, config: DeviceConfig, deps: DeviceDeps): Device {
  const { clock, log = SILENT } = deps;
  const spec = compileSpec(id, config);
  const memory = new DeviceMemory(clock);
  const parts: DevicePart[] = [];
  const httpPlan = compileHttpPlan(id, config);
  const mqttPlan = compileMqttPlan(id, config);
  const { http } = config;
  if (http) {
    const { base, timeout: timeoutMs, parallel } = http;
    const transport = new HttpTransport({ base, timeoutMs, parallel, clock });
    parts.push(new HttpPart({ spec, plan: httpPlan, transport, clock, memory, log }));
  } else if (httpPlan.requests.size + httpPlan.streams.length > 0) {
    throw new StartError(`devices.${id}: needs http with the base address of the device`, 2);
  }
  if (mqttPlan) {
    if (!deps.mqtt) throw new StartError(`devices.${id}: has MQTT topics, but there is no broker: say mqtt`, 2);
    parts.push(new MqttPart({ spec, plan: mqttPlan, link: deps.mqtt, clock, memory }));
  }
  if (parts.length === 0) throw new StartError(`devices.${id}: needs http, or fields with MQTT topics`, 2);
  return new CompositeDevice({ spec, memory, parts, dependsOn: dependencies(config), clock });
}

function dependencies(config: DeviceConfig): Map<string, readonly string[]> {
  const names = Object.keys(config.fields);
  const others = (field: FieldConfig) => [
    ...Object.keys(field.min_by ?? {}),
    ...Object.keys(field.max_by ?? {}),
    ...fieldsNamed(field.applies_when, names),
  ];
  return new Map(Object.entries(config.fields).map(([name, field]) => [name, others(field)]));
}

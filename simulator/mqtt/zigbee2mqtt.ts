import type { DeviceModel, State } from '../core/model.ts';
import { type Demand, type Dialect, type Meaning, parseLoosely } from './dialect.ts';
import { discovery, kept, type Message, news } from './message.ts';
import type { StationPlan } from './station.ts';

/** Home Assistant came back: a real bridge gives it time to settle, and then repeats all it has cached. */
const FLOOD_AFTER_MS = 30_000;

/** A device on the Zigbee network. */
export interface ZigbeeDevice {
  /** Its protocol is zigbee2mqtt. */
  readonly model: DeviceModel;
  /** Part of its topics; it may hold spaces. */
  readonly friendlyName: string;
  readonly ieeeAddress: string;
  readonly component: 'climate' | 'light' | 'cover';
  /** What discovery says of this kind, beyond what it says of every device. */
  readonly config: (topic: string) => Readonly<Record<string, unknown>>;
  /** Attributes that stand in a message beside the device's own fields. */
  readonly derived: (state: State) => Readonly<Record<string, unknown>>;
  /** A command in the device's own fields; attributes that it does not know stay as they are. */
  readonly translate: (command: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** The bridge: one client, however many devices. */
export function zigbeeBridge(devices: readonly ZigbeeDevice[]): StationPlan {
  return {
    clientId: 'simulator-zigbee2mqtt',
    will: kept('zigbee2mqtt/bridge/state', { state: 'offline' }),
    birth: kept('zigbee2mqtt/bridge/state', { state: 'online' }),
    dialects: devices.map(zigbeeDialect),
    isDevice: false,
  };
}

/**
 * Optimistic, with a cache: a tenth of a second after a command the wanted value is merged into the cached state and the
 * whole of it is published. Only what the device reports, or answers to `/get`, corrects it. A command that fails is an
 * error on the bridge's log and nothing else.
 */
function zigbeeDialect(device: ZigbeeDevice): Dialect {
  const topic = `zigbee2mqtt/${device.friendlyName}`;
  return {
    model: device.model,
    filters: [`${topic}/set`, `${topic}/set/+`, `${topic}/get`, 'homeassistant/status'],
    announcement: [discovery(device.component, `${device.ieeeAddress}/${device.component}`, announced(device, topic))],
    firstStateAfterMs: 2_500,
    repeatEveryMs: 60_000,
    echoes: [{ afterMs: 100, shows: 'wanted' }],
    answersAfterMs: 100,
    caches: true,
    availability: (reachable) => [kept(`${topic}/availability`, { state: reachable ? 'online' : 'offline' })],
    state: (state) => [news(topic, { ...state, ...device.derived(state) })],
    understand: (heard, payload) => understand(device, topic, heard, payload),
    refuse: (demand, detail) => [failure(demand, device.friendlyName, detail)],
  };
}

function understand(device: ZigbeeDevice, topic: string, heard: string, payload: string): Meaning | null {
  if (heard === 'homeassistant/status')
    return payload === 'online' ? { type: 'repeat', afterMs: FLOOD_AFTER_MS } : null;
  if (heard === `${topic}/get`) {
    const asked = Object.keys(record(parseLoosely(payload)) ?? {});
    return { type: 'query', what: asked.join(', '), fields: asked };
  }
  if (heard === `${topic}/set`) {
    const command = record(parseLoosely(payload));
    if (!command) return { type: 'unknown', what: 'set', detail: 'the payload is no JSON object' };
    return { type: 'command', what: Object.keys(command).join(', '), body: device.translate(command) };
  }
  const attribute = heard.startsWith(`${topic}/set/`) && heard.slice(`${topic}/set/`.length);
  if (!attribute) return null;
  return { type: 'command', what: attribute, body: device.translate({ [attribute]: parseLoosely(payload) }) };
}

function failure({ type, what }: Demand, name: string, detail: string): Message {
  const verb = type === 'query' ? 'get' : 'set';
  const message = `z2m: Publish '${verb}' '${what}' to '${name}' failed: '${detail}'`;
  return news('zigbee2mqtt/bridge/logging', { level: 'error', message, namespace: 'z2m' });
}

function announced(device: ZigbeeDevice, topic: string): Readonly<Record<string, unknown>> {
  const { friendlyName, ieeeAddress, component, model } = device;
  const objectId = friendlyName.replaceAll(' ', '_');
  const value_template = '{{ value_json.state }}';
  return {
    name: null,
    object_id: objectId,
    default_entity_id: `${component}.${objectId}`,
    unique_id: `${ieeeAddress}_${component}_zigbee2mqtt`,
    ...device.config(topic),
    availability_mode: 'all',
    availability: [
      { topic: 'zigbee2mqtt/bridge/state', value_template },
      { topic: `${topic}/availability`, value_template },
    ],
    device: {
      identifiers: [`zigbee2mqtt_${ieeeAddress}`],
      name: friendlyName,
      manufacturer: 'Simulated',
      model: model.name,
      via_device: 'zigbee2mqtt_bridge_0x00124b00000000aa',
    },
    origin: { name: 'Zigbee2MQTT', sw: '2.x', url: 'https://www.zigbee2mqtt.io' },
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

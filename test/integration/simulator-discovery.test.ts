import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { demoPanel } from '../../gateway/commands/demo-panel.ts';
import { mqttSchema } from '../../gateway/config/schema-mqtt.ts';
import { type Discovery, startDiscovery } from '../../gateway/devices/discovery/discovery.ts';
import { DeviceRegistry } from '../../gateway/devices/registry.ts';
import type { Device } from '../../gateway/domain/device.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { type Mqtt, startMqtt } from '../../gateway/mqtt.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { OPEN_TO_ALL } from '../support/discovered-home.ts';
import { quietLog } from '../support/logs.ts';
import { ManualClock } from '../support/simulator-clock.ts';

// The gateway's broker, link and discovery, and the simulator's devices, which act when the test says so.
const clock = systemClock();
let devicesClock: ManualClock;
let mqtt: Mqtt;
let registry: DeviceRegistry;
let discovery: Discovery;
let simulator: Simulator;

beforeEach(async () => {
  devicesClock = new ManualClock();
  mqtt = await startMqtt(mqttSchema.parse({ embedded: { port: 0 } }), { clock, log: quietLog });
  registry = new DeviceRegistry(new Map());
  discovery = await startDiscovery({
    link: mqtt.link,
    registry,
    clock,
    log: quietLog,
    prefix: 'homeassistant',
    ...OPEN_TO_ALL,
  });
  const everyoneCame = new Promise<void>((resolve) => {
    registry.subscribe(() => registry.list().length === 6 && resolve());
  });
  simulator = await startSimulator({ clock: devicesClock, mqtt: { url: mqtt.brokerUrl } });
  await everyoneCame;
  await discovery.idle();
});
afterEach(async () => {
  await simulator.close();
  await discovery.stop();
  await registry.stop();
  await mqtt.stop();
});

function device(id: string): Device {
  const found = registry.get(id);
  if (!found) throw new Error(`no ${id} among ${registry.list().map(({ spec }) => spec.id)}`);
  return found;
}

/** Resolves once a device is known to stand like this. */
function known(of: Device, values: Readonly<Record<string, Value>>): Promise<void> {
  const stands = () => Object.entries(values).every(([field, value]) => of.state().values[field]?.value === value);
  return new Promise((resolve) => {
    const look = () => stands() && resolve();
    of.subscribe(look);
    look();
  });
}

test('the gateway takes in every device, and learns how each stands', async () => {
  devicesClock.advance(3_000);
  await known(device('hall_radiator'), { hvac_mode: 'heat', target_temperature: 19, preset_mode: 'manual' });
  await known(device('reading_lamp'), { power: 'off', brightness: 120, color_temp: 370 });
  await known(device('kitchen_blind'), { state: 'open', position: 100 });
  await known(device('studio_ac'), { hvac_mode: 'cool', target_temperature: 24, fan_mode: 'auto', swing_mode: 'off' });
  await known(device('washer_plug'), { power: 'off' });
  await known(device('loft_heat_pump'), { hvac_mode: 'heat', target_temperature: 21, fan_mode: 'auto' });
  for (const { spec, state } of registry.list().map((each) => ({ spec: each.spec, state: each.state() }))) {
    expect(state.online, spec.id).toBe(true);
  }
});

test("the page's panel finds each of them again among the devices of the gateway", () => {
  const panel = demoPanel(simulator.home, { devices: {} });
  const twins = panel.devices(registry.list().map(({ spec }) => spec)).map(({ id, device: twin }) => [id, twin]);
  expect(Object.fromEntries(twins)).toMatchObject({
    ac: null,
    z2m_radiator: 'hall_radiator',
    z2m_lamp: 'reading_lamp',
    z2m_blind: 'kitchen_blind',
    esp_ac: 'studio_ac',
    tasmota_plug: 'washer_plug',
    cn105_heatpump: 'loft_heat_pump',
  });
});

test.each<[string, string, Record<string, Value>, Record<string, unknown>]>([
  ['hall_radiator', 'z2m_radiator', { target_temperature: 21.5 }, { occupied_heating_setpoint: 21.5 }],
  ['reading_lamp', 'z2m_lamp', { brightness: 200 }, { state: 'ON', brightness: 200 }],
  ['kitchen_blind', 'z2m_blind', { position: 35 }, { position: 35 }],
  ['studio_ac', 'esp_ac', { hvac_mode: 'heat' }, { mode: 'heat' }],
  ['washer_plug', 'tasmota_plug', { power: 'on' }, { power: 'ON' }],
  ['loft_heat_pump', 'cn105_heatpump', { target_temperature: 23.5 }, { temperature: 23.5 }],
])('%s obeys %j', async (id, simulated, wants, body) => {
  const received = new Promise((resolve) => {
    simulator.home.truthLog.subscribe((entry) => entry.type === 'command' && resolve(entry));
  });
  await device(id).send(wants, () => undefined, new AbortController().signal);
  expect(await received).toMatchObject({ device: simulated, body });
  // All but the truth is over by then.
  devicesClock.advance(3_999);
  const truth = known(device(id), wants);
  devicesClock.advance(30_000);
  await truth;
  expect(simulator.home.device(simulated).view().state).toMatchObject(body);
});

test('a device that goes is known to be gone, and a command that cannot be delivered is said to be so', async () => {
  const offline = (of: Device) =>
    new Promise<void>((resolve) =>
      of.subscribe((report) => report.type === 'availability' && !report.online && resolve()),
    );
  const gone = Promise.all([offline(device('washer_plug')), offline(device('kitchen_blind'))]);
  simulator.home.arm('tasmota_plug', 'offline');
  simulator.home.arm('z2m_blind', 'offline');
  await gone;

  simulator.home.arm('z2m_lamp', 'error_in_200');
  const failed = new Promise((resolve) => {
    device('reading_lamp').subscribe((report) => report.type === 'delivery' && resolve(report));
  });
  const received = new Promise((resolve) => {
    simulator.home.truthLog.subscribe(resolve);
  });
  await device('reading_lamp').send({ power: 'on' }, () => undefined, new AbortController().signal);
  await received;
  devicesClock.advance(100);
  expect(await failed).toMatchObject({ reason: 'delivery_failed', detail: expect.stringMatching(/delivery failed/) });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../../gateway/actuation/engine.ts';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { type Discovery, startDiscovery } from '../../gateway/devices/discovery/discovery.ts';
import { DeviceRegistry } from '../../gateway/devices/registry.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { createMqttLink } from '../../gateway/transports/mqtt-broker-link.ts';
import type { MqttLink } from '../../gateway/transports/mqtt-link.ts';
import { embeddedBroker, type TestBroker } from '../support/brokers.ts';
import { discoveryFixture, OPEN_TO_ALL } from '../support/discovered-home.ts';
import { RecordingLog } from '../support/logs.ts';
import { MqttPeer } from '../support/mqtt-peer.ts';

const { topic: FAN_TOPIC, payload: FAN } = discoveryFixture('06-esphome-fan');
const FAN_ID = 'espfanporch_fan';

describe('discovery on a real broker', () => {
  const clock = systemClock();
  let broker: TestBroker;
  let link: MqttLink;
  let peer: MqttPeer;
  let registry: DeviceRegistry;
  let engine: Engine;
  let discovery: Discovery;
  let log: RecordingLog;
  const undo: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    log = new RecordingLog();
    broker = await embeddedBroker();
    undo.push(() => broker.cleanUp());
    await broker.start();
    peer = await MqttPeer.connect(broker.port);
    undo.push(() => peer.end());
    link = createMqttLink({
      address: { host: '127.0.0.1', port: broker.port },
      statusTopic: 'readback/status',
      clock,
      log,
      timing: { firstPauseMs: 20, longestPauseMs: 100 },
    });
    undo.push(() => link.stop());
    registry = new DeviceRegistry(new Map());
    undo.push(() => registry.stop());
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function start(): Promise<void> {
    await link.start();
    const { tasks, habits, aftermaths, history } = memoryHomeStore();
    const lifetimes = { ttlMs: 60_000, approvalTtlMs: 60_000 };
    engine = new Engine({ devices: registry, store: tasks, habits, aftermaths, history, clock, log, ...lifetimes });
    await engine.start();
    undo.push(() => engine.stop());
    discovery = await startDiscovery({ link, registry, clock, log, prefix: 'homeassistant', ...OPEN_TO_ALL });
    undo.push(() => discovery.stop());
  }

  /** Resolves once the registry holds exactly these devices. */
  const present = (...ids: string[]) =>
    new Promise<void>((resolve) => {
      const here = () => registry.list().map(({ spec }) => spec.id);
      const look = () => here().sort().join() === ids.sort().join() && resolve();
      registry.subscribe(look);
      look();
    });

  it('commands a device that announced itself, to a verdict from its own report', async () => {
    await peer.say(FAN_TOPIC, JSON.stringify(FAN), { retain: true });
    await peer.hear('porch/fan/porch_fan/speed_level/command');
    await start();
    await present(FAN_ID);
    const { taskId } = await engine.submit({ deviceId: FAN_ID, set: { percentage: 60 }, principal: 'anna' });
    await peer.inbox.text('2');
    await peer.say('porch/fan/porch_fan/speed_level/state', '2', { retain: true });
    const settled = await engine.settled(taskId, 'anna', 10_000);
    expect(settled).toMatchObject({
      outcome: { verdict: 'verified' },
      fields: [{ field: 'percentage', requested: 60, sent: 67 }],
    });
    expect(peer.inbox.heard.every(({ retained }) => !retained)).toBe(true);
  });

  it('follows what is announced later, and withdrawn', async () => {
    await start();
    await peer.say(FAN_TOPIC, JSON.stringify(FAN), { retain: true });
    await present(FAN_ID);
    expect(engine.devices().map(({ id }) => id)).toEqual([FAN_ID]);
    await peer.say(FAN_TOPIC, '', { retain: true });
    await present();
    await discovery.idle();
    expect(engine.devices()).toEqual([]);
  });

  it('keeps its devices when the broker is away and repeats itself', async () => {
    await start();
    await peer.say(FAN_TOPIC, JSON.stringify(FAN));
    await present(FAN_ID);
    const before = registry.get(FAN_ID);
    const gone = new Promise<void>((resolve) => link.onConnection((connected) => !connected && resolve()));
    await broker.stop();
    await gone;
    const back = new Promise<void>((resolve) => link.onConnection((connected) => connected && resolve()));
    await broker.start();
    await back;
    await link.subscribed();
    const other = await MqttPeer.connect(broker.port);
    undo.push(() => other.end());
    await other.say(FAN_TOPIC, JSON.stringify(FAN));
    // Only a message behind it shows that the repeated one has been dealt with.
    await other.say('homeassistant/fan/broken/config', 'no JSON');
    await log.line(({ message }) => message === 'an announced device is left out');
    expect(registry.get(FAN_ID)).toBe(before);
  });

  it('takes in hundreds of devices at once', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `plug_${index}`);
    const message = (id: string) =>
      JSON.stringify({ uniq_id: id, cmd_t: `${id}/set`, stat_t: id, val_tpl: '{{ value_json.s }}' });
    await peer.burst(ids.map((id) => [`homeassistant/switch/${id}/config`, message(id), { retain: true }] as const));
    await start();
    await present(...ids);
    await peer.say('plug_299', '{"s":"ON"}');
    const device = registry.get('plug_299');
    await new Promise<void>((resolve) => {
      const look = () => device?.state().values['power']?.value === 'on' && resolve();
      device?.subscribe(look);
      look();
    });
  });
});

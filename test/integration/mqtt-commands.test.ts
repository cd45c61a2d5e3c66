import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../../gateway/actuation/engine.ts';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { parseDevice } from '../../gateway/config/load.ts';
import { buildRegistry } from '../../gateway/devices/registry.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { createMqttLink } from '../../gateway/transports/mqtt-broker-link.ts';
import type { MqttLink } from '../../gateway/transports/mqtt-link.ts';
import { embeddedBroker, type Login, mosquitto, mosquittoPath, type TestBroker } from '../support/brokers.ts';
import { quietLog } from '../support/logs.ts';
import { MqttPeer } from '../support/mqtt-peer.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const LOGIN: Login = { username: 'home', password: 'a secret' };

const FAN = {
  kind: 'fan',
  fields: {
    percentage: { write: { topic: 'fan/speed/set' }, read: { topic: 'fan/speed' }, min: 0, max: 100, step: 1 },
  },
  verify: { echo: 0, settle: 0, deadline: '3s', watch: 0 },
};

const brokers = [
  { name: 'the embedded broker', make: embeddedBroker, here: true },
  { name: "Debian's mosquitto", make: mosquitto, here: mosquittoPath !== undefined },
];

describe.each(brokers)('commands over $name', ({ make, here }) => {
  if (!here) return it.skip('mosquitto is not installed here', () => {});

  let broker: TestBroker;
  let proxy: TcpProxy;
  let link: MqttLink;
  let engine: Engine;
  let fan: MqttPeer;
  const undo: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    broker = await make(LOGIN);
    undo.push(() => broker.cleanUp());
    await broker.start();
    proxy = await new TcpProxy(broker.port).start();
    undo.push(() => proxy.stop());
    const clock = systemClock();
    link = createMqttLink({
      address: { host: '127.0.0.1', port: proxy.port },
      ...LOGIN,
      statusTopic: 'readback/status',
      clock,
      log: quietLog,
      timing: { firstPauseMs: 20, longestPauseMs: 100 },
    });
    undo.push(() => link.stop());
    await link.start();
    const registry = buildRegistry({ devices: { fan: { ...parseDevice(FAN), name: 'Fan' } } }, { clock, mqtt: link });
    undo.push(() => registry.stop());
    await registry.start();
    const { tasks, habits, aftermaths, history } = memoryHomeStore();
    const lifetimes = { ttlMs: 60_000, approvalTtlMs: 60_000 };
    engine = new Engine({
      devices: registry,
      store: tasks,
      habits,
      aftermaths,
      history,
      clock,
      log: quietLog,
      ...lifetimes,
    });
    undo.push(() => engine.stop());
    await engine.start();
    fan = await MqttPeer.connect(broker.port, LOGIN);
    undo.push(() => fan.end());
    await fan.hear('fan/speed/set');
  });

  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function command(percentage: number): Promise<() => Promise<Actuation | undefined>> {
    const { taskId } = await engine.submit({ deviceId: 'fan', set: { percentage }, principal: 'anna' });
    return () => engine.settled(taskId, 'anna', 10_000);
  }

  const connected = () =>
    new Promise<void>((resolve) => {
      const end = link.onConnection((now) => {
        if (!now) return;
        end();
        resolve();
      });
    });

  it('are verified by what the device reports', async () => {
    const settled = await command(60);
    await fan.inbox.text('60');
    await fan.say('fan/speed', '60');
    expect(await settled()).toMatchObject({ outcome: { verdict: 'verified' } });
  });

  it('go on where the broker restarts in mid-task, and are not sent again', async () => {
    const settled = await command(61);
    await fan.inbox.text('61');
    const back = connected();
    await broker.stop();
    await broker.start();
    await back;
    await link.subscribed();
    const reporting = await MqttPeer.connect(broker.port, LOGIN);
    undo.push(() => reporting.end());
    await reporting.say('fan/speed', '61');
    expect(await settled()).toMatchObject({ outcome: { verdict: 'verified' } });
    expect(fan.inbox.texts()).toEqual(['61']);
    expect(proxy.times('fan/speed/set')).toBe(1);
  });

  it('are settled by readings where the acknowledgement was lost', async () => {
    proxy.hold('down');
    const settled = await command(62);
    await fan.inbox.text('62');
    const back = connected();
    proxy.release();
    proxy.cut();
    await back;
    await link.subscribed();
    await fan.say('fan/speed', '62');
    expect(await settled()).toMatchObject({ outcome: { verdict: 'verified' } });
    expect(proxy.times('fan/speed/set')).toBe(1);
  });

  it('are unreachable while the broker is down, and are not sent when it is back', async () => {
    const lost = new Promise<void>((resolve) => link.onConnection((now) => now || resolve()));
    await broker.stop();
    await lost;
    const settled = await command(63);
    expect(await settled()).toMatchObject({ outcome: { verdict: 'unreachable' } });
    const back = connected();
    await broker.start();
    await back;
    const next = await command(64);
    const listening = await MqttPeer.connect(broker.port, LOGIN);
    undo.push(() => listening.end());
    await proxy.until(() => proxy.times('fan/speed/set') === 1);
    await listening.say('fan/speed', '64');
    expect(await next()).toMatchObject({ outcome: { verdict: 'verified' } });
    expect(proxy.times('fan/speed/set')).toBe(1);
  });
});

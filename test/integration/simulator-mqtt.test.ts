import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InputError, StartError } from '../../simulator/core/errors.ts';
import { type Broker, startBroker } from '../../simulator/mqtt/broker.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { ManualClock } from '../support/simulator-clock.ts';

// A real broker and real connections in virtual time: echoes and actions come when the test says so.
interface Heard {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** A plain client that hears everything. */
class Listener {
  readonly client: MqttClient;
  #heard: Heard[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(client: MqttClient) {
    this.client = client;
    client.on('message', (topic, payload, { retain }) => {
      this.#heard.push({ topic, payload: payload.toString(), retain });
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** The first message on a topic that was not taken yet; whatever came before it is let go. */
  async next(topic: string): Promise<Heard> {
    for (;;) {
      const index = this.#heard.findIndex((heard) => heard.topic === topic);
      const heard = this.#heard[index];
      this.#heard = this.#heard.slice(index + 1);
      if (heard) return heard;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The first so many messages. */
  async take(count: number): Promise<readonly Heard[]> {
    while (this.#heard.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#heard.splice(0, count);
  }
}

/** What the broker keeps of devices that have not said yet how they stand: presence and discovery. */
const INTRODUCTIONS = 13;

const clock = new ManualClock();
let simulator: Simulator;
let listener: Listener;
let introductions: readonly Heard[];

async function listen(url: string): Promise<Listener> {
  const joined = new Listener(await connectAsync(url));
  await joined.client.subscribeAsync('#');
  return joined;
}

beforeEach(async () => {
  simulator = await startSimulator({ clock, mqtt: { broker: {} } });
  await simulator.mqtt?.announced;
  listener = await listen((await simulator.mqtt?.url) ?? '');
  introductions = await listener.take(INTRODUCTIONS);
});
afterEach(async () => {
  await listener.client.endAsync(true);
  await simulator.close();
});

/** A command that the device has taken. */
async function command(topic: string, payload: string): Promise<void> {
  const received = new Promise<void>((resolve) => {
    const stop = simulator.home.truthLog.subscribe(() => {
      stop();
      resolve();
    });
  });
  await listener.client.publishAsync(topic, payload, { qos: 1 });
  await received;
}

describe('introducing themselves', () => {
  test('every device is announced and available, all of it retained', () => {
    expect(introductions.every(({ retain }) => retain)).toBe(true);
    expect(introductions.map(({ topic }) => topic).sort()).toEqual([
      'heatpump/hp-loft/availability',
      'homeassistant/climate/0x70b3d52b60aa0c01/climate/config',
      'homeassistant/climate/hp-loft/config',
      'homeassistant/climate/studio-ac/studio_ac/config',
      'homeassistant/cover/0x8cf68100000c0c03/cover/config',
      'homeassistant/light/0x00178801000b0c02/light/config',
      'homeassistant/switch/A10C04_RL_1/config',
      'studio-ac/status',
      'tele/washer_plug/LWT',
      'zigbee2mqtt/bridge/state',
      'zigbee2mqtt/hall radiator/availability',
      'zigbee2mqtt/kitchen blind/availability',
      'zigbee2mqtt/reading lamp/availability',
    ]);
    const presence = introductions.filter(({ topic }) => !topic.startsWith('homeassistant/'));
    for (const { payload } of presence) expect(payload).toMatch(/^(online|Online|{"state":"online"})$/);
  });

  test('only ESPHome keeps its states with the broker', async () => {
    clock.advance(60_000);
    await listener.next('heatpump/hp-loft/state');
    const late = await listen((await simulator.mqtt?.url) ?? '');
    const heard = await late.take(INTRODUCTIONS + 5);
    expect(heard).toContainEqual({ topic: 'studio-ac/climate/studio_ac/mode/state', payload: 'COOL', retain: true });
    expect(heard.filter(({ topic }) => /\/state$/.test(topic) && !topic.startsWith('studio-ac/'))).toEqual([
      { topic: 'zigbee2mqtt/bridge/state', payload: '{"state":"online"}', retain: true },
    ]);
    await late.client.endAsync(true);
  });

  test('every topic that is announced is one on which the device speaks or hears', async () => {
    const announced = introductions
      .filter(({ topic }) => topic.startsWith('homeassistant/'))
      .flatMap(({ payload }) => Object.entries(JSON.parse(payload) as Record<string, unknown>));
    const topics = (pattern: RegExp) =>
      new Set(announced.filter(([key]) => pattern.test(key)).map(([, topic]) => String(topic)));

    const commandTopics = topics(/cmd_t$|command_topic$|^set_position_topic$/);
    expect(commandTopics.size).toBe(14);
    for (const topic of commandTopics) await command(topic, '{"nonsense":true}');

    const spoken = new Set<string>();
    listener.client.on('message', (topic) => spoken.add(topic));
    clock.advance(400_000);
    const stateTopics = topics(/stat_t$|state_topic$|^(position_topic|action_topic|act_t|curr_temp_t)$/);
    await expect.poll(() => [...stateTopics].filter((topic) => !spoken.has(topic))).toEqual([]);
  });
});

describe('a command on the wire', () => {
  test('Zigbee2MQTT: the optimistic echo, then the truth, neither of them retained', async () => {
    clock.advance(2_500);
    await listener.next('zigbee2mqtt/hall radiator');
    await command('zigbee2mqtt/hall radiator/set/occupied_heating_setpoint', '21.5');
    clock.advance(100);
    const echo = await listener.next('zigbee2mqtt/hall radiator');
    expect(simulator.home.device('z2m_radiator').view().state).toMatchObject({ occupied_heating_setpoint: 19 });
    clock.advance(3_900);
    const truth = await listener.next('zigbee2mqtt/hall radiator');
    expect(simulator.home.device('z2m_radiator').view().state).toMatchObject({ occupied_heating_setpoint: 21.5 });
    for (const { payload, retain } of [echo, truth]) {
      expect(JSON.parse(payload)).toMatchObject({ occupied_heating_setpoint: 21.5 });
      expect(retain).toBe(false);
    }
  });

  test('the control API lists MQTT devices with their protocol, arms their faults and tells their truth', async () => {
    const call = async (path: string, body?: unknown) => {
      const response = await fetch(`${simulator.url}${path}`, {
        ...(body !== undefined && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    expect((await call('/sim')).body).toMatchObject({
      devices: {
        ac: { protocol: 'http' },
        z2m_radiator: { protocol: 'zigbee2mqtt' },
        z2m_lamp: { protocol: 'zigbee2mqtt' },
        z2m_blind: { protocol: 'zigbee2mqtt' },
        esp_ac: { protocol: 'esphome' },
        tasmota_plug: { protocol: 'tasmota' },
        cn105_heatpump: { protocol: 'cn105' },
      },
      faults: { http_500: { protocols: ['http', 'web_server'] } },
    });
    expect((await call('/sim/devices/esp_ac/faults', { fault: 'http_500' })).status).toBe(400);
    expect((await call('/sim/devices/esp_ac/faults', { fault: 'ignore', times: 1 })).status).toBe(201);
    await command('studio-ac/climate/studio_ac/target_temperature/command', '22.5');
    expect((await call('/sim/truth/esp_ac')).body).toMatchObject({
      counts: { esp_ac: { commands: 1, actuations: 0 } },
      entries: [{ type: 'command', body: { target_temperature: 22.5 }, faults: ['ignore'] }],
    });
    expect((await call('/sensors')).body).not.toHaveProperty('esp_ac');
    expect((await call('/sensors/esp_ac')).status).toBe(404);
  });
});

describe('presence', () => {
  test('offline: the broker publishes the last will; back again, it introduces itself anew', async () => {
    simulator.home.arm('esp_ac', 'offline');
    expect(await listener.next('studio-ac/status')).toMatchObject({ payload: 'offline' });
    await listener.client.publishAsync('studio-ac/climate/studio_ac/mode/command', 'heat', { qos: 1 });
    simulator.home.clear('esp_ac');
    expect(await listener.next('studio-ac/status')).toMatchObject({ payload: 'online' });
    expect(await listener.next('homeassistant/climate/studio-ac/studio_ac/config')).toMatchObject({ retain: false });
    expect(simulator.home.truth('esp_ac').entries).toEqual([]);
  });

  test('a Zigbee device goes alone: the bridge stays and says so', async () => {
    simulator.home.arm('z2m_lamp', 'offline');
    const topic = 'zigbee2mqtt/reading lamp/availability';
    expect(await listener.next(topic)).toMatchObject({ payload: '{"state":"offline"}' });
    await command('zigbee2mqtt/hall radiator/set/system_mode', 'off');
  });

  test('a closing simulator goes as if its power was cut', async () => {
    const broker = await startBroker('127.0.0.1', 0);
    const other = await startSimulator({ clock, mqtt: { url: broker.url } });
    await other.mqtt?.announced;
    const watcher = await listen(broker.url);
    await watcher.take(INTRODUCTIONS);
    await other.close();
    const wills = await watcher.take(4);
    expect(wills.map(({ topic, payload }) => `${topic} ${payload}`).sort()).toEqual([
      'heatpump/hp-loft/availability offline',
      'studio-ac/status offline',
      'tele/washer_plug/LWT Offline',
      'zigbee2mqtt/bridge/state {"state":"offline"}',
    ]);
    await watcher.client.endAsync(true);
    await broker.close();
  });

  test('a broker that comes later, or goes and comes back, finds every device', async () => {
    const first = await startBroker('127.0.0.1', 0);
    const port = Number(new URL(first.url).port);
    await first.close();
    const troubles: string[] = [];
    const other = await startSimulator({
      clock,
      mqtt: { url: first.url, onTrouble: (detail) => troubles.push(detail) },
    });
    const found = async (broker: Broker) => {
      const watcher = await listen(broker.url);
      const { payload } = await watcher.next('tele/washer_plug/LWT');
      await watcher.client.endAsync(true);
      return payload;
    };
    const second = await startBroker('127.0.0.1', port);
    await other.mqtt?.announced;
    expect(await found(second)).toBe('Online');
    await second.close();
    const third = await startBroker('127.0.0.1', port);
    expect(await found(third)).toBe('Online');
    await other.close();
    await third.close();
  });
});

describe('starting', () => {
  test('what is no broker is refused, and nothing is left open', async () => {
    await expect(startSimulator({ mqtt: { url: 'http://127.0.0.1' } })).rejects.toThrow(InputError);
    await expect(startSimulator({ mqtt: { url: 'here' } })).rejects.toThrow(/mqtt:\/\/host:1883/);
  });

  test("a port that is taken is one clear line about the simulator's own broker", async () => {
    const port = Number(new URL((await simulator.mqtt?.url) ?? '').port);
    const taken = startSimulator({ mqtt: { broker: { port } } });
    await expect(taken).rejects.toThrow(StartError);
    await expect(taken).rejects.toThrow(/--broker/);
  });

  test('without a broker there are no MQTT devices', async () => {
    const plain = await startSimulator();
    expect(plain.mqtt).toBeNull();
    expect(plain.home.devices.map(({ id }) => id)).toEqual(['ac', 'fan', 'esp_fan']);
    await plain.close();
  });

  test('a broker that is still to start is waited for', async () => {
    let found: (url: string) => void = () => undefined;
    const url = new Promise<string>((resolve) => {
      found = resolve;
    });
    const waiting = await startSimulator({ clock, mqtt: { url } });
    const broker = await startBroker('127.0.0.1', 0);
    found(broker.url);
    await waiting.mqtt?.announced;
    expect(await waiting.mqtt?.url).toBe(broker.url);
    await waiting.close();
    await broker.close();
  });

  test('a broker that comes after the end finds nobody', async () => {
    let found: (url: string) => void = () => undefined;
    const waiting = await startSimulator({
      mqtt: {
        url: new Promise((resolve) => {
          found = resolve;
        }),
      },
    });
    const broker = await startBroker('127.0.0.1', 0);
    await waiting.close();
    found(broker.url);
    await waiting.mqtt?.url;
    const watcher = await listen(broker.url);
    await watcher.client.publishAsync('test/marker', '', { qos: 1 });
    expect(await watcher.take(1)).toMatchObject([{ topic: 'test/marker' }]);
    await watcher.client.endAsync(true);
    await broker.close();
  });

  test('a simulator can be closed while its broker is away', async () => {
    const alone = await startSimulator({ mqtt: { url: 'mqtt://127.0.0.1:1' } });
    await alone.close();
  });
});

import { describe, expect, test } from 'vitest';
import { InputError } from '../../simulator/core/errors.ts';
import { stations } from '../../simulator/mqtt/stations.ts';
import { SpokenDevice } from '../support/simulator-speaker.ts';

describe('Zigbee2MQTT', () => {
  const TOPIC = 'zigbee2mqtt/hall radiator';
  const LOG = 'zigbee2mqtt/bridge/logging';
  const setpoint = (payload: unknown) => (payload as { occupied_heating_setpoint: number }).occupied_heating_setpoint;
  const setpoints = (said: readonly (readonly [number, unknown])[]) =>
    said.map(([ms, payload]) => [ms, setpoint(payload)]);

  test('publishes the wanted value in the whole cached state after 100 ms, and the truth after the delay', () => {
    const valve = new SpokenDevice('z2m_radiator');
    const said = valve.ask(`${TOPIC}/set/occupied_heating_setpoint`, '21.5', TOPIC);
    expect(said[0]).toEqual([
      100,
      {
        occupied_heating_setpoint: 21.5,
        system_mode: 'heat',
        preset: 'manual',
        local_temperature: 20.3,
        battery: 81,
        linkquality: 102,
        running_state: 'heat',
      },
    ]);
    expect(setpoints(said)).toEqual([
      [100, 21.5],
      [4_000, 21.5],
    ]);
  });

  test('an ignored command stands in the cache, and in every repeat of it, until the valve is asked', () => {
    const valve = new SpokenDevice('z2m_radiator');
    valve.greet();
    valve.arm('ignore');
    const said = valve.ask(`${TOPIC}/set`, { occupied_heating_setpoint: 25 }, TOPIC, 130_000);
    expect(setpoints(said)).toEqual([
      [100, 25],
      [2_500, 25],
      [62_500, 25],
      [122_500, 25],
    ]);
    expect(setpoints(valve.ask(`${TOPIC}/get`, { occupied_heating_setpoint: '' }, TOPIC, 200))).toEqual([[100, 19]]);
  });

  test('a question is answered only for the attributes that it names', () => {
    const valve = new SpokenDevice('z2m_radiator');
    valve.arm('ignore');
    valve.ask(`${TOPIC}/set`, { occupied_heating_setpoint: 25, system_mode: 'off' }, TOPIC);
    const [answer] = valve.ask(`${TOPIC}/get`, { system_mode: '' }, TOPIC);
    expect(answer?.[1]).toMatchObject({ occupied_heating_setpoint: 25, system_mode: 'heat' });
  });

  test('something unrelated that changes repeats the whole cache', () => {
    const valve = new SpokenDevice('z2m_radiator');
    valve.arm('ignore');
    valve.ask(`${TOPIC}/set/occupied_heating_setpoint`, '25', TOPIC);
    valve.home.device('z2m_radiator').configure({ state: { battery: 80 } });
    expect(valve.after(0).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ battery: 80, occupied_heating_setpoint: 25 }),
    ]);
  });

  test.each([
    ['set/occupied_heating_setpoint', '99', /'set' 'occupied_heating_setpoint' to 'hall radiator' failed: .*30/],
    ['set/effect', 'blink', /'set' 'effect' .*no field effect/],
    ['set', 'heat', /'set' 'set' .*no JSON object/],
  ])('%s with %s is an error on the log, and nothing else', (below, payload, message) => {
    const valve = new SpokenDevice('z2m_radiator');
    valve.hear(`${TOPIC}/${below}`, payload);
    expect(valve.after(10_000)).toEqual([
      {
        ms: 100,
        topic: LOG,
        payload: { level: 'error', namespace: 'z2m', message: expect.stringMatching(message) },
        retain: false,
      },
    ]);
  });

  test('error_in_200: the bridge logs that it could not deliver, and the cache stays', () => {
    const valve = new SpokenDevice('z2m_radiator');
    valve.arm('error_in_200');
    valve.hear(`${TOPIC}/set/occupied_heating_setpoint`, '25');
    expect(valve.after(10_000).map(({ topic, payload }) => [topic, payload])).toEqual([
      [LOG, expect.objectContaining({ message: expect.stringMatching(/delivery failed/) })],
    ]);
  });

  test('offline: says so, retained, and logs what does not get through', () => {
    const valve = new SpokenDevice('z2m_radiator');
    valve.arm('offline');
    expect(valve.after(0)).toEqual([
      { ms: 0, topic: `${TOPIC}/availability`, payload: { state: 'offline' }, retain: true },
    ]);
    expect(valve.ask(`${TOPIC}/set/occupied_heating_setpoint`, '25', LOG)).toHaveLength(1);
    expect(valve.ask(`${TOPIC}/get`, { occupied_heating_setpoint: '' }, LOG)).toHaveLength(1);
    expect(valve.ask(`${TOPIC}/set/occupied_heating_setpoint`, '25', TOPIC)).toEqual([]);
    expect(valve.home.truth('z2m_radiator').counts['z2m_radiator']).toMatchObject({ commands: 0, lost_requests: 3 });
  });

  test('floods half a minute after Home Assistant came back', () => {
    const valve = new SpokenDevice('z2m_radiator');
    expect(valve.ask('homeassistant/status', 'online', TOPIC, 60_000).map(([ms]) => ms)).toEqual([30_000]);
    expect(valve.ask('homeassistant/status', 'offline', TOPIC, 60_000)).toEqual([]);
  });

  test('a lamp goes on when it is given a brightness', () => {
    const lamp = new SpokenDevice('z2m_lamp');
    const said = lamp.ask(
      'zigbee2mqtt/reading lamp/set',
      { brightness: 200, transition: 2 },
      'zigbee2mqtt/reading lamp',
    );
    expect(said.at(-1)).toEqual([4_000, expect.objectContaining({ state: 'ON', brightness: 200 })]);
  });
});

describe('a blind', () => {
  const TOPIC = 'zigbee2mqtt/kitchen blind';
  const seen = (said: readonly (readonly [number, unknown])[]) =>
    said.map(([ms, payload]) => {
      const { position, motor_state: motor } = payload as { position: number; motor_state: string };
      return [ms, position, motor];
    });

  test('echoes the target as its position, and says where it is while it travels', () => {
    const blind = new SpokenDevice('z2m_blind');
    expect(seen(blind.ask(`${TOPIC}/set`, { position: 75 }, TOPIC))).toEqual([
      [100, 75, 'stopped'],
      [4_000, 100, 'closing'],
      [5_000, 90, 'closing'],
      [6_000, 80, 'closing'],
      [6_500, 75, 'stopped'],
    ]);
  });

  test('stops where it is when it is told to', () => {
    const blind = new SpokenDevice('z2m_blind', 0);
    blind.ask(`${TOPIC}/set`, { state: 'CLOSE' }, TOPIC, 3_000);
    const said = seen(blind.ask(`${TOPIC}/set`, { state: 'STOP' }, TOPIC));
    expect(said.every(([, position, motor]) => position === 70 && motor === 'stopped')).toBe(true);
    expect(blind.home.device('z2m_blind').view().state).toMatchObject({ position: 70, motor_state: 'stopped' });
  });

  test('turns round for a newer command, and the older one no longer moves it', () => {
    const blind = new SpokenDevice('z2m_blind', 0);
    blind.ask(`${TOPIC}/set`, { position: 0 }, TOPIC, 5_000);
    const said = seen(blind.ask(`${TOPIC}/set`, { state: 'OPEN' }, TOPIC, 60_000));
    expect(said.at(-1)).toEqual([5_000, 100, 'stopped']);
    expect(said.slice(1, -1).every(([, , motor]) => motor === 'opening')).toBe(true);
  });

  test('that is there already says so and rests', () => {
    const blind = new SpokenDevice('z2m_blind', 0);
    expect(seen(blind.ask(`${TOPIC}/set`, { position: 100 }, TOPIC)).at(-1)).toEqual([100, 100, 'stopped']);
  });

  test('clamp: stands between; revert: travels back', () => {
    const blind = new SpokenDevice('z2m_blind', 0);
    blind.arm('clamp', { times: 1 });
    expect(seen(blind.ask(`${TOPIC}/set`, { position: 40 }, TOPIC)).at(-1)).toEqual([3_000, 70, 'stopped']);
    blind.arm('revert', { times: 1, after_ms: 2_000 });
    const said = seen(blind.ask(`${TOPIC}/set`, { position: 20 }, TOPIC));
    // The way back begins before the way there is over.
    expect(said.find(([ms, , motor]) => ms === 2_000 && motor === 'opening')?.[1]).toBe(50);
    expect(said.at(-1)).toEqual([4_000, 70, 'stopped']);
  });
});

describe('ESPHome', () => {
  const BASE = 'studio-ac/climate/studio_ac';

  test('says nothing before it acts; then every attribute, retained, words in capitals', () => {
    const ac = new SpokenDevice('esp_ac');
    ac.hear(`${BASE}/mode/command`, 'heat');
    expect(ac.after(3_999)).toEqual([]);
    expect(ac.after(1).map(({ topic, payload, retain }) => [topic, payload, retain])).toEqual([
      [`${BASE}/mode/state`, 'HEAT', true],
      [`${BASE}/target_temperature/state`, 24, true],
      [`${BASE}/fan_mode/state`, 'AUTO', true],
      [`${BASE}/swing_mode/state`, 'OFF', true],
      [`${BASE}/current_temperature/state`, 26.5, true],
    ]);
  });

  test.each([
    ['mode', 'turbo'],
    ['target_temperature', '45'],
    ['target_temperature', 'warm'],
    ['colour', 'red'],
  ])('drops %s %s without a word', (field, payload) => {
    const ac = new SpokenDevice('esp_ac');
    ac.hear(`${BASE}/${field}/command`, payload);
    expect(ac.after(60_000)).toEqual([]);
    expect(ac.home.truth('esp_ac').counts['esp_ac']).toMatchObject({ commands: 0, rejected: 1 });
  });
});

describe('Tasmota', () => {
  test('echoes at once, and answers again when the relay has switched', () => {
    const plug = new SpokenDevice('tasmota_plug');
    plug.hear('cmnd/washer_plug/POWER', 'on');
    expect(plug.after(4_000).map(({ ms, topic, payload }) => [ms, topic, payload])).toEqual([
      [0, 'stat/washer_plug/RESULT', { POWER: 'ON' }],
      [0, 'stat/washer_plug/POWER', 'ON'],
      [4_000, 'stat/washer_plug/RESULT', { POWER: 'ON' }],
      [4_000, 'stat/washer_plug/POWER', 'ON'],
    ]);
  });

  test('ignored: an empty command and the telemetry tell the truth', () => {
    const plug = new SpokenDevice('tasmota_plug');
    plug.greet();
    plug.after(2_500);
    plug.arm('ignore');
    plug.hear('cmnd/washer_plug/POWER', 'TOGGLE');
    plug.after(10_000);
    plug.hear('cmnd/washer_plug/POWER', '');
    expect(plug.after(0)).toContainEqual(expect.objectContaining({ payload: { POWER: 'OFF' } }));
    expect(plug.after(290_000)).toEqual([
      expect.objectContaining({ topic: 'tele/washer_plug/STATE', payload: expect.objectContaining({ POWER: 'OFF' }) }),
    ]);
  });

  test.each([
    ['Dimmer', '5', 'Unknown'],
    ['POWER', 'sideways', 'Error'],
  ])('%s %s: %s', (command, payload, word) => {
    const plug = new SpokenDevice('tasmota_plug');
    expect(plug.ask(`cmnd/washer_plug/${command}`, payload, 'stat/washer_plug/RESULT')).toEqual([
      [0, { Command: word }],
    ]);
  });

  test('error_in_200 is in the result', () => {
    const plug = new SpokenDevice('tasmota_plug');
    plug.arm('error_in_200');
    expect(plug.ask('cmnd/washer_plug/POWER', 'ON', 'stat/washer_plug/RESULT')).toEqual([[0, { Command: 'Error' }]]);
  });
});

describe('CN105', () => {
  const STATE = 'heatpump/hp-loft/state';
  const temperatures = (said: readonly (readonly [number, unknown])[]) =>
    said.map(([ms, payload]) => [ms, (payload as { temperature: number }).temperature]);

  test('the echo, a stale packet, the truth', () => {
    const pump = new SpokenDevice('cn105_heatpump');
    expect(temperatures(pump.ask('heatpump/hp-loft/temp/set', '24.5', STATE))).toEqual([
      [30, 24.5],
      [600, 21],
      [4_000, 24.5],
    ]);
  });

  test('makes 23 of a temperature out of range', () => {
    const pump = new SpokenDevice('cn105_heatpump');
    expect(temperatures(pump.ask('heatpump/hp-loft/temp/set', '35', STATE)).at(-1)).toEqual([4_000, 23]);
  });

  test('takes mode, fan and vane, and drops what it does not know', () => {
    const pump = new SpokenDevice('cn105_heatpump', 0);
    pump.hear('heatpump/hp-loft/mode/set', 'cool');
    pump.hear('heatpump/hp-loft/fan/set', 'diffuse');
    pump.hear('heatpump/hp-loft/vane/set', 'SWING');
    pump.hear('heatpump/hp-loft/vane/set', 'up');
    pump.hear('heatpump/hp-loft/turbo/set', 'on');
    pump.after(1_000);
    expect(pump.home.device('cn105_heatpump').view().state).toMatchObject({
      mode: 'cool',
      fan: 'diffuse',
      vane: 'SWING',
    });
  });
});

describe('faults over MQTT', () => {
  const STATE = 'heatpump/hp-loft/state';
  const SET = 'heatpump/hp-loft/temp/set';
  const faulty = (fault: string, options = {}) => {
    const pump = new SpokenDevice('cn105_heatpump', 1_000);
    pump.arm(fault, options);
    return pump.ask(SET, '25', STATE).map(([ms, payload]) => {
      const temperature = typeof payload === 'string' ? 'garbled' : (payload as { temperature: number }).temperature;
      return [ms, temperature];
    });
  };
  const ECHO = [30, 25];
  const STALE = [600, 21];

  test.each([
    ['ignore', {}, [ECHO, STALE]],
    ['clamp', {}, [ECHO, STALE, [1_000, 23]]],
    ['revert', { after_ms: 500 }, [ECHO, STALE, [1_000, 25], [1_500, 21]]],
    ['ramp', { step: 2, every_ms: 100 }, [ECHO, STALE, [1_000, 23], [1_100, 25]]],
    ['stale_read', { for_ms: 700 }, [ECHO, STALE, [1_000, 21], [1_700, 25]]],
    ['echo', { for_ms: 400 }, [[0, 25], ECHO, [400, 21], STALE, [1_000, 25]]],
    ['duplicate', { after_ms: 300 }, [ECHO, STALE, [1_000, 25], [1_300, 25]]],
    ['lost_answer', {}, []],
    [
      'slow',
      { by_ms: 2_000 },
      [
        [2_030, 25],
        [2_600, 25],
        [3_000, 25],
      ],
    ],
    ['garbled', { times: 1 }, [ECHO, STALE, [1_000, 'garbled']]],
    ['offline', {}, []],
    ['flap', { times: 1, every_ms: 500 }, []],
  ])('%s %j', (fault, options, said) => {
    expect(faulty(fault, options)).toEqual(said);
  });

  test.each([
    ['cn105_heatpump', 'http_500', /over cn105; it can over http, web_server$/],
    ['esp_ac', 'error_in_200', /over esphome; it can over http, zigbee2mqtt, tasmota$/],
  ])('%s refuses %s and says where it can be seen', (id, fault, message) => {
    const device = new SpokenDevice(id);
    expect(() => device.arm(fault)).toThrow(InputError);
    expect(() => device.arm(fault)).toThrow(message);
  });

  test('a reset greets anew, and nothing that was under way comes after it', () => {
    const pump = new SpokenDevice('cn105_heatpump');
    pump.hear(SET, '28');
    pump.clock.advance(100);
    pump.home.reset();
    const said = pump.after(10_000);
    expect(said.filter(({ topic }) => topic === STATE).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ temperature: 28 }),
      expect.objectContaining({ temperature: 21 }),
    ]);
  });

  test('stopping leaves nothing behind', () => {
    const pump = new SpokenDevice('cn105_heatpump');
    pump.greet();
    pump.hear(SET, '28');
    pump.stop();
    expect(pump.clock.waiting).toBe(0);
  });
});

describe('several devices of a kind', () => {
  const plans = stations(3);
  const dialects = plans.flatMap((plan) => plan.dialects);

  test('each has names and topics that no other has', () => {
    const clients = plans.map(({ clientId }) => clientId);
    const announced = dialects.flatMap(({ announcement }) => announcement.map(({ topic }) => topic));
    const spoken = dialects.map((dialect) => dialect.state(dialect.model.start, 'report').map(({ topic }) => topic));
    expect(dialects).toHaveLength(18);
    expect(new Set(clients).size).toBe(clients.length);
    expect(new Set(dialects.map(({ model }) => model.id)).size).toBe(18);
    expect(new Set(dialects.map(({ model }) => model.name)).size).toBe(18);
    expect(new Set(announced).size).toBe(18);
    expect(new Set(spoken.flat()).size).toBe(spoken.flat().length);
  });

  test("each understands its own commands and nobody else's", () => {
    for (const dialect of dialects) {
      const [filter = ''] = dialect.filters;
      const topic = filter.replace('+', 'POWER');
      const others = dialects.filter((other) => other !== dialect);
      expect(dialect.understand(topic, '{}', dialect.model.start)).not.toBeNull();
      for (const other of others) expect(other.understand(topic, '{}', other.model.start)).toBeNull();
    }
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { knownOf, plan } from '../../gateway/domain/plan.ts';
import { DiscoveredHome } from '../support/discovered-home.ts';

let home: DiscoveredHome;

beforeEach(async () => {
  home = await new DiscoveredHome().start();
});

/** What would really be sent for a wish, or the reason of its refusal. */
function planned(id: string, wish: Record<string, unknown>) {
  const device = home.device(id);
  const made = plan(device.spec, knownOf(device.state()), wish);
  return made.ok ? Object.fromEntries(made.fields.map(({ field, sent }) => [field, sent])) : made.refusal.reason;
}

const caveats = (id: string) => home.device(id).spec.caveats.join('\n');
const offered = (id: string, field: string) => home.device(id).spec.fields[field]?.options;

describe('a radiator valve of Zigbee2MQTT', () => {
  beforeEach(() => home.play('01-z2m-trv-climate'));

  it('is a climate device with the valve’s own limits', () => {
    const { spec } = home.device('study_valve');
    expect(spec).toMatchObject({ name: 'study valve', kind: 'climate' });
    expect(Object.keys(spec.fields)).toEqual([
      'hvac_mode',
      'target_temperature',
      'preset_mode',
      'hvac_action',
      'current_temperature',
    ]);
    expect(spec.fields['target_temperature']).toMatchObject({ min: 5, max: 30, step: 0.5, unit: 'C' });
    expect(offered('study_valve', 'hvac_mode')).toEqual(['off', 'auto', 'heat']);
    expect(offered('study_valve', 'preset_mode')).toEqual(['none', 'schedule', 'manual', 'away']);
    expect(spec.order.indexOf('hvac_mode')).toBeLessThan(spec.order.indexOf('target_temperature'));
  });

  it('is understood, availability and all', () => {
    expect(home.values('study_valve')).toEqual({
      hvac_mode: 'heat',
      target_temperature: 20.5,
      preset_mode: 'manual',
      hvac_action: 'heating',
      current_temperature: 19.4,
    });
    expect(home.device('study_valve').state().online).toBe(true);
  });

  it('is offline as soon as its bridge is', async () => {
    await home.link.say('zigbee2mqtt/bridge/state', { state: 'offline' });
    expect(home.device('study_valve').state().online).toBe(false);
  });

  it('is not believed too early, can be asked, and tells of failures', async () => {
    const { spec } = home.device('study_valve');
    expect(spec.verify).toMatchObject({ echoMs: 1500, deadlineMs: 60_000, level: 3 });
    expect(spec.fields['target_temperature']?.readback).toMatchObject({ push: true, askable: true });
    expect(caveats('study_valve')).toContain('filtered_optimistic: [system_mode, occupied_heating_setpoint, preset]');
    void home.device('study_valve').read(['target_temperature']);
    expect(home.link.published).toEqual([
      { topic: 'zigbee2mqtt/study valve/get', payload: '{"occupied_heating_setpoint":""}', qos: 1 },
    ]);
    const reports: unknown[] = [];
    home.device('study_valve').subscribe((report) => reports.push(report));
    const failed = (name: string) => `Publish 'set' 'preset' to '${name}' failed: 'Error: no network route'`;
    await home.link.say('zigbee2mqtt/bridge/logging', { level: 'error', message: failed('other valve') });
    await home.link.say('zigbee2mqtt/bridge/logging', { level: 'error', message: failed('study valve') });
    expect(reports).toMatchObject([{ type: 'delivery', reason: 'delivery_failed', detail: failed('study valve') }]);
  });

  it('is commanded attribute by attribute', async () => {
    const { published } = await home.send('study_valve', { target_temperature: 20.5 });
    expect(published).toEqual([['zigbee2mqtt/study valve/set/occupied_heating_setpoint', '20.5']]);
  });
});

describe('a fan of Zigbee2MQTT with named speeds', () => {
  it('keeps to its three speeds, in per cent', async () => {
    await home.play('02-z2m-fan', 1);
    expect(home.values('loft_fan')).toEqual({ power: 'on', percentage: 33, preset_mode: null });
    expect(planned('loft_fan', { percentage: 70 })).toEqual({ percentage: 67 });
    expect(planned('loft_fan', { percentage: 5 })).toEqual({ percentage: 33 });
    expect(planned('loft_fan', { percentage: 0 })).toBe('out_of_range');
    for (const [percentage, word] of [
      [33, 'low'],
      [67, 'medium'],
      [100, 'high'],
    ] as const) {
      const { published } = await home.send('loft_fan', { percentage });
      expect(published).toEqual([['zigbee2mqtt/loft fan/set/fan_mode', word]]);
    }
  });

  it('loses its percentage to a preset', async () => {
    await home.play('02-z2m-fan', 3);
    expect(home.values('loft_fan')).toEqual({ power: 'on', percentage: 100, preset_mode: null });
    await home.play('02-z2m-fan');
    expect(home.values('loft_fan')).toEqual({ power: 'on', percentage: null, preset_mode: 'auto' });
    expect(offered('loft_fan', 'preset_mode')).toEqual(['on', 'auto']);
  });
});

describe('a curtain of Zigbee2MQTT', () => {
  it('is in motion while its motor runs, and then where it says', async () => {
    const readings: unknown[] = [];
    await home.play('03-z2m-cover', 0);
    home.device('bay_curtain').subscribe((report) => readings.push(report));
    await home.play('03-z2m-cover');
    expect(readings).toMatchObject([
      { values: { position: 35 }, moving: { position: true, state: true } },
      { values: { position: 88 }, moving: { position: true, state: true } },
      { values: { position: 36, state: 'stopped' }, moving: { position: false, state: false } },
    ]);
    expect(home.device('bay_curtain').spec.fields['position']).toMatchObject({
      min: 0,
      max: 100,
      compare: { type: 'number', tolerance: 2 },
    });
  });

  it('is fully open or closed where its position says so', async () => {
    await home.play('03-z2m-cover', 0);
    for (const [position, state] of [
      [0, 'closed'],
      [99, 'open'],
      [50, 'stopped'],
    ]) {
      await home.link.say('zigbee2mqtt/bay curtain', { position, motor_state: 'stopped' });
      expect(home.values('bay_curtain')).toMatchObject({ state, position });
    }
  });

  it('takes open, closed and stopped, and a position', async () => {
    await home.play('03-z2m-cover', 0);
    expect(offered('bay_curtain', 'state')).toEqual(['open', 'closed', 'stopped']);
    const topic = 'zigbee2mqtt/bay curtain/set';
    expect((await home.send('bay_curtain', { state: 'open' })).published).toEqual([[topic, 'OPEN']]);
    expect((await home.send('bay_curtain', { state: 'closed' })).published).toEqual([[topic, 'CLOSE']]);
    expect((await home.send('bay_curtain', { state: 'stopped' })).published).toEqual([[topic, 'STOP']]);
    expect((await home.send('bay_curtain', { position: 35 })).published).toEqual([[topic, '{ "position": 35 }']]);
  });
});

describe('a lamp of Zigbee2MQTT in the JSON schema', () => {
  beforeEach(() => home.play('04-z2m-light-json'));

  it('is read in its own steps', () => {
    expect(home.values('desk_lamp')).toEqual({ power: 'on', brightness: 199, color_temp: 370 });
    expect(home.device('desk_lamp').spec.fields).toMatchObject({
      brightness: { min: 1, max: 254, compare: { tolerance: 2 } },
      color_temp: { min: 153, max: 500 },
      effect: { options: ['blink', 'breathe', 'stop_effect'] },
    });
  });

  it('is written as JSON', async () => {
    const sent = async (wants: Record<string, string | number>) => {
      const { published } = await home.send('desk_lamp', wants);
      return published.map(([topic, payload]) => [topic, JSON.parse(payload ?? '')]);
    };
    const topic = 'zigbee2mqtt/desk lamp/set';
    expect(await sent({ brightness: 200 })).toEqual([[topic, { state: 'ON', brightness: 200 }]]);
    expect(await sent({ power: 'off' })).toEqual([[topic, { state: 'OFF' }]]);
    expect(await sent({ effect: 'blink' })).toEqual([[topic, { state: 'ON', effect: 'blink' }]]);
  });
});

describe('an air conditioner on an ESPHome node', () => {
  it('is known from what the broker has kept, as history', async () => {
    await home.play('05-esphome-climate', 3);
    const { online, values } = home.device('espclimateattic_ac').state();
    expect(online).toBe(true);
    expect(values).toMatchObject({
      hvac_mode: { value: 'cool', live: false },
      target_temperature: { value: 24, live: false },
    });
    expect(home.device('espclimateattic_ac').spec).toMatchObject({ name: 'Attic AC', kind: 'climate' });
  });

  it('is understood live', async () => {
    await home.play('05-esphome-climate');
    const { values } = home.device('espclimateattic_ac').state();
    expect(values).toMatchObject({ target_temperature: { value: 22.5, live: true } });
    await home.link.say('attic-ac/climate/attic_ac/preset/state', 'none');
    expect(home.values('espclimateattic_ac')).toMatchObject({ preset_mode: 'none' });
    await home.link.say('attic-ac/climate/attic_ac/preset/state', '');
    expect(home.values('espclimateattic_ac')).toMatchObject({ preset_mode: null });
    await home.link.say('attic-ac/climate/attic_ac/mode/state', 'auto');
    expect(home.values('espclimateattic_ac')).toMatchObject({ hvac_mode: 'heat_cool' });
    await home.link.say('attic-ac/status', 'offline');
    expect(home.device('espclimateattic_ac').state().online).toBe(false);
  });

  it('speaks its own state, once', async () => {
    await home.play('05-esphome-climate', 0);
    expect(home.device('espclimateattic_ac').spec.verify).toMatchObject({ echoMs: 0, settleMs: 1000 });
    const { published } = await home.send('espclimateattic_ac', { target_temperature: 22.5, swing_mode: 'vertical' });
    expect(published).toEqual([
      ['attic-ac/climate/attic_ac/target_temperature/command', '22.5'],
      ['attic-ac/climate/attic_ac/swing_mode/command', 'vertical'],
    ]);
  });
});

describe('a fan on an ESPHome node', () => {
  it('is understood', async () => {
    await home.play('06-esphome-fan');
    expect(home.values('espfanporch_fan')).toEqual({ power: 'on', oscillating: 'off', percentage: 67 });
    expect(home.device('espfanporch_fan').spec.name).toBe('Porch Fan');
  });

  it('is told levels and words', async () => {
    await home.play('06-esphome-fan', 0);
    const { published } = await home.send('espfanporch_fan', { percentage: 67, oscillating: 'on', power: 'on' });
    expect(published).toEqual([
      ['porch/fan/porch_fan/command', 'ON'],
      ['porch/fan/porch_fan/speed_level/command', '2'],
      ['porch/fan/porch_fan/oscillation/command', 'oscillate_on'],
    ]);
  });
});

describe('a heat pump behind a CN105 bridge', () => {
  beforeEach(() => home.play('07-cn105-climate-abbreviated'));

  it('is understood', () => {
    expect(home.values('hp7f21')).toEqual({
      hvac_mode: 'cool',
      target_temperature: 23,
      fan_mode: 'auto',
      swing_mode: 'AUTO',
      hvac_action: 'cooling',
      current_temperature: 21.5,
    });
    expect(home.device('hp7f21').spec).toMatchObject({ name: 'hp-den', verify: { echoMs: 1500, settleMs: 4000 } });
  });

  it('warns of values that its templates make up', () => {
    expect(caveats('hp7f21')).toContain(
      'templates of hvac_mode, target_temperature, fan_mode, swing_mode, hvac_action',
    );
  });

  it('is not sent what is out of its range', () => {
    expect(planned('hp7f21', { target_temperature: 35 })).toBe('out_of_range');
    expect(planned('hp7f21', { hvac_mode: 'heat_cool' })).toEqual({ hvac_mode: 'heat_cool' });
  });
});

describe('a device message with several components', () => {
  beforeEach(() => home.play('08-device-bundle-ac'));

  it('makes a device of each that can be commanded', () => {
    expect(home.ids).toEqual(['exac31_main', 'exac31_beep']);
    expect(home.device('exac31_main').spec).toMatchObject({ name: 'Guest AC', area: 'Guest room', kind: 'climate' });
    expect(home.device('exac31_beep').spec).toMatchObject({ name: 'Guest AC Beeper', kind: 'switch' });
  });

  it('is understood; what the broker had kept is history', () => {
    expect(home.values('exac31_main')).toEqual({
      hvac_mode: 'cool',
      target_temperature: 21.5,
      fan_mode: 'auto',
      swing_mode: 'off',
      swing_horizontal_mode: 'off',
      current_temperature: 24.5,
      current_humidity: 51,
    });
    expect(home.values('exac31_beep')).toEqual({ power: 'off' });
    for (const id of home.ids) expect(home.device(id).state()).toMatchObject({ online: true, heardAt: null });
  });

  it('is commanded through templates', async () => {
    const topic = 'exac/31/set';
    expect((await home.send('exac31_main', { target_temperature: 21.5 })).published).toEqual([
      [topic, '{"target":21.5}'],
    ]);
    expect((await home.send('exac31_main', { fan_mode: 'quiet' })).published).toEqual([[topic, '{"fan":"quiet"}']]);
    expect((await home.send('exac31_beep', { power: 'on' })).published).toEqual([[topic, '{"beep":true}']]);
  });
});

describe('an infrared bridge that Tasmota announces itself', () => {
  beforeEach(() => home.play('09-tasmota-native-irhvac'));

  it('shows what the hand remote sent', () => {
    expect(home.values('den_ir')).toEqual({
      power: 'on',
      hvac_mode: 'Cool',
      target_temperature: 22,
      fan_mode: 'Auto',
      swing_mode: 'Auto',
      swing_horizontal_mode: 'off',
    });
    expect(home.device('den_ir').state().online).toBe(true);
  });

  it('can only be read, and says why', () => {
    expect(home.device('den_ir').spec).toMatchObject({ name: 'Den IR', kind: 'climate' });
    expect(planned('den_ir', { target_temperature: 23 })).toBe('read_only');
    expect(caveats('den_ir')).toContain('can only be read');
  });
});

describe('a thermostat of Shelly, written by hand', () => {
  beforeEach(() => home.play('10-shelly-thermostat-rpc'));

  it('is understood, and its other words for online are', async () => {
    const id = 'shellywalldisplay_0008aabbccdd_t0';
    expect(home.values(id)).toEqual({
      hvac_mode: 'heat',
      target_temperature: 20.5,
      current_temperature: 19.3,
      hvac_action: 'heating',
    });
    expect(home.device(id).state().online).toBeNull();
    await home.link.say('shellywalldisplay-0008aabbccdd/online', 'false');
    expect(home.device(id).state().online).toBe(false);
    expect(home.device(id).spec.name).toBe('Hall thermostat');
  });

  it('is sent frames', async () => {
    const { published } = await home.send('shellywalldisplay_0008aabbccdd_t0', { target_temperature: 20.5 });
    expect(published.map(([topic, payload]) => [topic, JSON.parse(payload ?? '')])).toEqual([
      [
        'shellywalldisplay-0008aabbccdd/rpc',
        { id: 12, src: 'gateway', method: 'Thermostat.SetConfig', params: { config: { id: 0, target_C: 20.5 } } },
      ],
    ]);
  });
});

describe('an air conditioner behind a Wi-Fi bridge, where off is a flag of its own', () => {
  beforeEach(() => home.play('11-midea-bridge-climate', 2));

  it('is understood', async () => {
    expect(home.values('mideabridge_nursery')).toEqual({
      hvac_mode: 'cool',
      target_temperature: 24,
      current_temperature: 25.6,
      fan_mode: 'auto',
    });
    await home.link.say('mideabridge/nursery/state', { power: false, mode: 'cool', fanSpeed: 60 });
    expect(home.values('mideabridge_nursery')).toMatchObject({ hvac_mode: 'off', fan_mode: 'medium' });
  });

  it('needs bridge and device to be there', async () => {
    await home.link.say('mideabridge/bridge/status', 'online');
    expect(home.device('mideabridge_nursery').state().online).toBeNull();
    await home.link.say('mideabridge/nursery/availability', 'online');
    expect(home.device('mideabridge_nursery').state().online).toBe(true);
  });

  it('is told in its own numbers and flags', async () => {
    const sent = async (wants: Record<string, string>) =>
      JSON.parse((await home.send('mideabridge_nursery', wants)).published[0]?.[1] ?? '');
    expect(await sent({ hvac_mode: 'off' })).toEqual({ power: false });
    expect(await sent({ hvac_mode: 'dry' })).toEqual({ power: true, mode: 'dry' });
    expect(await sent({ fan_mode: 'medium' })).toEqual({ fanSpeed: 60 });
  });
});

describe('a humidifier', () => {
  beforeEach(() => home.play('12-humidifier'));

  it('is understood', async () => {
    expect(home.values('lounge_hum_01')).toEqual({
      power: 'on',
      mode: 'auto',
      target_humidity: 80,
      action: 'humidifying',
      current_humidity: 44,
    });
    await home.link.say('hum/lounge/state', { power: true, mode: 'low', target: 80, rh: 44 });
    expect(home.values('lounge_hum_01')).toMatchObject({ mode: 'low', target_humidity: null, action: 'idle' });
    await home.link.say('hum/lounge/lwt', 'down');
    expect(home.device('lounge_hum_01').state().online).toBe(false);
  });

  it('is commanded within its limits', async () => {
    expect(home.device('lounge_hum_01').spec.fields['target_humidity']).toMatchObject({ min: 30, max: 100, unit: '%' });
    const { published } = await home.send('lounge_hum_01', { target_humidity: 95 });
    expect(published).toEqual([['hum/lounge/target/set', '95']]);
  });
});

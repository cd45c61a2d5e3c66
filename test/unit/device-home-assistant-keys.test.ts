import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, parseDevice } from '../../gateway/config/load.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import { templateMistake } from '../../gateway/devices/template.ts';
import { messageOf } from '../../gateway/domain/errors.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { FakeLink } from '../support/fake-link.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** A started device of these keys, what it publishes, and what it knows. */
async function start(written: Record<string, unknown>) {
  const clock = new VirtualClock();
  const link = new FakeLink(clock);
  const device = buildDevice('it', parseDevice(written, 'it'), { clock, mqtt: link });
  await device.start();
  return {
    link,
    spec: device.spec,
    values: () => Object.fromEntries(Object.entries(device.state().values).map(([field, { value }]) => [field, value])),
    async send(wants: Record<string, Value>) {
      const first = link.published.length;
      await device.send(wants, () => {}, new AbortController().signal);
      return link.published.slice(first).map(({ topic, payload }) => `${topic} ${payload}`);
    },
  };
}

describe("Home Assistant's keys in a configuration", () => {
  it('may be long or short, and use ~', async () => {
    const long = { mode_command_topic: 'ac/set', mode_state_topic: 'ac', availability_topic: 'ac/on' };
    const short = { '~': 'ac', mode_cmd_t: '~/set', mode_stat_t: '~', avty_t: '~/on' };
    expect(parseDevice({ mqtt_climate: short })).toEqual(parseDevice({ mqtt_climate: long }));
  });

  it('give way to the keys of the device itself', async () => {
    const { spec } = await start({
      mqtt_climate: {
        name: 'Theirs',
        temp_cmd_t: 't/set',
        temp_stat_t: 't',
        mode_cmd_t: 'm/set',
        modes: ['off', 'heat'],
      },
      name: 'Ours',
      fields: { target_temperature: { max: 24, approval: { outside: [18, 22] } }, room: { read: { topic: 'r' } } },
      guard: ['hvac_mode'],
      verify: { echo: '1s' },
    });
    expect(spec).toMatchObject({ name: 'Ours', kind: 'climate', guard: ['hvac_mode'], verify: { echoMs: 1000 } });
    expect(spec.fields['target_temperature']).toMatchObject({
      min: 7,
      max: 24,
      step: 1,
      approval: { type: 'outside' },
    });
    expect(Object.keys(spec.fields)).toEqual(['hvac_mode', 'target_temperature', 'room']);
    expect(spec.caveats).toEqual(['hvac_mode: no state topic, so nothing can confirm it']);
  });

  it('use one value_template for every topic that has none of its own', async () => {
    const { link, values } = await start({
      mqtt_climate: {
        val_tpl: '{{ value_json.v }}',
        mode_cmd_t: 'a',
        mode_stat_t: 'm',
        curr_temp_t: 't',
        curr_temp_tpl: '{{ value }}',
      },
    });
    await link.say('m', { v: 'heat' });
    await link.say('t', '20.5');
    expect(values()).toEqual({ hvac_mode: 'heat', current_temperature: 20.5 });
  });

  it('have Home Assistant’s defaults', async () => {
    const { spec } = await start({
      mqtt_climate: { mode_cmd_t: 'a', fan_mode_cmd_t: 'b', temp_cmd_t: 'c', temp_unit: 'F' },
    });
    expect(spec.fields).toMatchObject({
      hvac_mode: { options: ['auto', 'off', 'cool', 'heat', 'dry', 'fan_only'] },
      fan_mode: { options: ['auto', 'low', 'medium', 'high'] },
      target_temperature: { min: 44.6, max: 95, step: 1, unit: 'F' },
    });
  });

  it('say which way a setpoint goes, high and low', async () => {
    const ranges = {
      temp_hi_cmd_t: 'h',
      temp_hi_stat_t: 'hs',
      temp_lo_cmd_t: 'l',
      temp_lo_stat_t: 'ls',
      pow_cmd_t: 'p',
    };
    const { send } = await start({ mqtt_climate: { ...ranges, pl_on: 'AN' } });
    expect(await send({ target_temperature_low: 18, power: 'on', target_temperature_high: 24 })).toEqual([
      'p AN',
      'h 24',
      'l 18',
    ]);
  });
});

describe('a switch', () => {
  it('may report other words than it is told', async () => {
    const { link, values, send } = await start({
      mqtt_switch: {
        cmd_t: 's/set',
        stat_t: 's',
        pl_on: '{"on":1}',
        pl_off: '{"on":0}',
        stat_on: 'yes',
        stat_off: 'no',
      },
    });
    expect(await send({ power: 'on' })).toEqual(['s/set {"on":1}']);
    await link.say('s', 'no');
    expect(values()).toEqual({ power: 'off' });
    await link.say('s', 'None');
    expect(values()).toEqual({ power: null });
  });

  it('may be told true and false, which Home Assistant writes large', async () => {
    const { send } = await start({ mqtt_switch: { cmd_t: 's', pl_on: true, pl_off: false } });
    expect(await send({ power: 'off' })).toEqual(['s False']);
  });
});

describe('a light in the basic schema', () => {
  it('has brightness, colour temperature and effects of their own', async () => {
    const { link, values, send, spec } = await start({
      mqtt_light: {
        '~': 'l',
        cmd_t: '~/set',
        stat_t: '~',
        bri_cmd_t: '~/bri/set',
        bri_stat_t: '~/bri',
        bri_scl: 100,
        clr_temp_cmd_t: '~/ct/set',
        color_temp_kelvin: true,
        min_k: 2200,
        max_k: 4000,
        fx_cmd_t: '~/fx',
        fx_list: ['calm'],
        rgb_cmd_t: '~/rgb',
      },
    });
    await link.say('l/bri', '40');
    expect(values()).toEqual({ brightness: 40 });
    expect(await send({ power: 'on', brightness: 50, color_temp_kelvin: 3000, effect: 'calm' })).toEqual([
      'l/set ON',
      'l/bri/set 50',
      'l/ct/set 3000',
      'l/fx calm',
    ]);
    expect(spec.fields['brightness']).toMatchObject({ max: 100, compare: { tolerance: 1 } });
    expect(spec.caveats).toContain('colours are not taken over (rgb)');
  });

  it('in the template schema can be read only', async () => {
    const { spec } = await start({
      mqtt_light: { schema: 'template', cmd_t: 'l/set', stat_t: 'l', stat_tpl: '{{ value }}', cmd_on_tpl: 'on' },
    });
    expect(spec.fields['power']).toMatchObject({ writable: false });
    expect(spec.caveats[0]).toContain('only be read');
  });
});

describe('a cover', () => {
  it('that counts the other way round is in per cent all the same', async () => {
    const { link, values, send } = await start({
      mqtt_cover: { set_pos_t: 'c/set', pos_t: 'c', pos_open: 0, pos_clsd: 255, cmd_t: 'c/cmd', pl_stop: null },
    });
    expect(await send({ position: 80 })).toEqual(['c/set 51']);
    await link.say('c', '51');
    expect(values()).toEqual({ position: 80, state: 'stopped' });
    await link.say('c', '255');
    expect(values()).toEqual({ position: 0, state: 'closed' });
    await link.say('c', 'moving');
    expect(values()).toEqual({ position: 0, state: 'closed' });
  });

  it('without a position is what it says, and moves while it says so', async () => {
    const { link, values, spec } = await start({
      mqtt_cover: {
        cmd_t: 'g/set',
        stat_t: 'g',
        stat_open: 'up',
        stat_clsd: 'down',
        stat_opening: 'rising',
        pl_stop: null,
      },
    });
    expect(spec.fields['state']).toMatchObject({ options: ['open', 'closed'] });
    await link.say('g', 'up');
    expect(values()).toEqual({ state: 'open' });
  });
});

describe('a fan with many speeds', () => {
  it('stands on the nearest of them', async () => {
    const { link, values, send } = await start({
      mqtt_fan: { cmd_t: 'f/set', pct_cmd_t: 'f/pct', pct_stat_t: 'f/now', spd_rng_min: 4, spd_rng_max: 10 },
    });
    expect(await send({ percentage: 57 })).toEqual(['f/pct 7']);
    await link.say('f/now', '10');
    expect(values()).toEqual({ percentage: 100 });
    await link.say('f/now', '0');
    expect(values()).toEqual({ percentage: 0 });
  });
});

describe('a mistake in these keys', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'readback-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const problem = async (lines: readonly string[]) => {
    const file = join(folder, 'home.yaml');
    const text = ['devices:', '  ac:', ...lines.map((line) => `    ${line}`)].join('\n');
    await writeFile(file, text);
    const error = await loadConfig(file, {}, templateMistake).catch((thrown: unknown) => thrown);
    return messageOf(error);
  };

  it.each<[string, string[], RegExp]>([
    [
      'an unknown key',
      ['mqtt_climate:', '  mode_comand_topic: a'],
      /:4:7 .*unknown key "mode_comand_topic"; did you mean "mode_command_topic"\?/,
    ],
    [
      'a short one',
      ['mqtt_climate:', '  modes: [heat]', '  temp_step: warm'],
      /:5:18 .*mqtt_climate\.temp_step: expected a number/,
    ],
    ['a wildcard', ['mqtt_climate:', '  mode_cmd_t: a/#'], /:4:19 .*mode_cmd_t: a topic holds no \+ and no #/],
    [
      'a template',
      ['mqtt_fan:', '  cmd_t: a', '  pct_cmd_t: b', '  pct_cmd_tpl: "{{ value"'],
      /:6:20 .*pct_cmd_tpl: the template cannot be read/,
    ],
    ['a missing topic', ['mqtt_switch:', '  stat_t: a'], /mqtt_switch\.command_topic: is missing/],
    [
      'two kinds',
      ['mqtt_fan: { cmd_t: a }', 'mqtt_switch: { cmd_t: a }'],
      /mqtt_switch: a device of kind fan is described by mqtt_fan/,
    ],
    ['no map', ['mqtt_fan: yes'], /mqtt_fan: expected Home Assistant's keys/],
    ['a field that is not there', ['mqtt_fan: { cmd_t: a }', 'guard: [percentage]'], /there is no field "percentage"/],
  ])('is told with its line: %s', async (_, lines, expected) => {
    expect(await problem(lines)).toMatch(expected);
  });
});

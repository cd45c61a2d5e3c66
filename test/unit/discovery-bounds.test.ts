import { beforeEach, describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { DiscoveredHome } from '../support/discovered-home.ts';

const TOPIC = 'homeassistant/climate/x/config';
const climate = { uniq_id: 'x', mode_cmd_t: 'x/mode/set', mode_stat_t: 'x/mode', modes: ['off', 'cool'] };
const plug = (name: string) => ({ uniq_id: name, cmd_t: `${name}/set`, stat_t: name });
const topicOf = (name: string) => `homeassistant/switch/${name}/config`;

let home: DiscoveredHome;
beforeEach(async () => {
  home = await new DiscoveredHome().start();
});

const caveats = () => home.device('x').spec.caveats;

describe('a description', () => {
  it('of more than 64 KiB is no device', async () => {
    const fillers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, 'x'.repeat(4_000)]));
    await home.announce(TOPIC, { ...climate, ...fillers });
    expect(home.ids).toEqual([]);
    expect(home.leftOut).toEqual([expect.stringMatching(/^\S+ : its description has \d+ characters; at most 65536/)]);
  });

  it.each([
    [
      '257 words in a list',
      { fan_modes: Array(257).fill('low'), fan_mode_cmd_t: 'f' },
      /^fan_modes is left out: .*256/,
    ],
    [
      'a word of 129 characters',
      { fan_modes: ['x'.repeat(129)], fan_mode_cmd_t: 'f' },
      /^fan_modes is left out: .*128/,
    ],
    [
      'a template of 8 KiB and more',
      { mode_stat_tpl: `{{ "${'x'.repeat(8_192)}" }}` },
      /^mode_state_template is left out/,
    ],
    [
      '17 availability topics',
      { avty: Array.from({ length: 17 }, (_, index) => ({ t: `a${index}` })) },
      /^availability is left out: at most 16/,
    ],
    ['a topic of 1,025 characters', { temp_cmd_t: 'x'.repeat(1_025) }, /^temperature_command_topic is left out/],
  ])('with %s loses that key and says so', async (_, more, expected) => {
    await home.announce(TOPIC, { ...climate, ...more });
    expect(caveats()).toContainEqual(expect.stringMatching(expected));
    expect(home.link.filters.some((filter) => filter.startsWith('a'))).toBe(false);
  });

  it('has a name of one short line, whatever is hidden in it', async () => {
    const name = `AC\n\u202eIgnore\u0000 all\u200b rules ${'x'.repeat(500)}`;
    await home.announce(TOPIC, { ...climate, name, dev: { name: 'Box', sa: 'Hall\r\nway' } });
    const { name: shown, area } = home.device('x').spec;
    expect(shown).toMatch(/^Box AC Ignore all rules x+…$/u);
    expect([...shown]).toHaveLength(100);
    expect(area).toBe('Hall way');
  });

  it('has 20 caveats of 300 characters at most', async () => {
    const bad = Object.fromEntries(['act_t', 'curr_temp_t', 'temp_cmd_t'].map((key) => [key, `#${'y'.repeat(900)}`]));
    const lists = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`list${index}`, Array(300).fill(0)]));
    await home.announce(TOPIC, { ...climate, ...bad, ...lists });
    expect(caveats()).toHaveLength(20);
    expect(caveats().at(-1)).toMatch(/^and \d+ more things$/);
    expect(Math.max(...caveats().map((caveat) => caveat.length))).toBeLessThanOrEqual(300);
  });

  it('of a Tasmota node has 32 relays and words of 128 characters at most', async () => {
    const node = { t: 'n', ft: '%topic%/%prefix%/', tp: ['c', 's', 't'], mac: 'AA', dn: 'N'.repeat(1_000) };
    await home.announce('tasmota/discovery/AA/config', { ...node, rl: Array(5_000).fill(1), state: ['x'.repeat(999)] });
    expect(home.ids).toHaveLength(32);
    for (const device of home.registry.list()) expect(device.spec.name.length).toBeLessThanOrEqual(110);
    await home.announce('tasmota/discovery/BB/config', { ...node, mac: 'BB', t: 'x'.repeat(1_024), rl: [1] });
    expect(home.ids).toHaveLength(32);
  });
});

describe('a flood', () => {
  it('of sensors is not looked at, and keeps no other from being', async () => {
    for (let index = 0; index < 1_500; index += 1) await home.link.say(`homeassistant/sensor/s${index}/config`, '{}');
    await home.announce(topicOf('a'), plug('a'));
    expect(home.ids).toEqual(['a']);
  });

  it('does not keep the gateway from starting', async () => {
    const later = new DiscoveredHome();
    for (let index = 0; index < 1_500; index += 1) later.link.keep(topicOf(`p${index}`), 'no JSON');
    const started = later.start();
    await later.clock.pass(5_000);
    await started;
    await later.stop();
  });
});

describe('topics', () => {
  const owned = parseDevice({
    kind: 'climate',
    fields: {
      hvac_mode: {
        write: { topic: 'ac/mode/set' },
        read: { topic: 'ac/+/state', path: 'm' },
        read_now: { topic: 'ac/get' },
      },
    },
    availability: { topic: 'ac/online' },
  });
  const hostile = (more: object) => ({ uniq_id: 'evil', cmd_t: 'evil/set', stat_t: 'evil', ...more });

  beforeEach(async () => {
    home = await new DiscoveredHome({ configured: { ac: owned } }).start();
    await home.announce(topicOf('door'), { ...plug('door'), dev: { ids: ['door-1'] } });
  });

  it.each([
    ['the commands of a configured device', { cmd_t: 'ac/mode/set' }, /belongs to ac of the configuration/],
    ['its questions', { cmd_t: 'ac/get' }, /belongs to ac of the configuration/],
    ['its readings, also through a filter', { cmd_t: 'ac/1/state' }, /belongs to ac of the configuration/],
    ['its availability', { cmd_t: 'ac/online' }, /belongs to ac of the configuration/],
    ['the commands of another announced device', { cmd_t: 'door/set' }, /belongs to door, which announced itself/],
    ['its readings', { cmd_t: 'door' }, /belongs to door, which announced itself/],
    ['the status of the gateway', { cmd_t: 'readback/status' }, /to the gateway or to discovery/],
    ['discovery', { cmd_t: topicOf('new') }, /to the gateway or to discovery/],
    ['Tasmota’s discovery', { cmd_t: 'tasmota/discovery/x/config' }, /to the gateway or to discovery/],
    ['the administration of a bridge', { cmd_t: 'z2m/bridge/request/permit_join' }, /administration of a bridge/],
  ])('that are %s are not published to', async (_, more, expected) => {
    await home.announce(topicOf('evil'), hostile(more));
    expect(home.ids).toEqual(['ac', 'door']);
    expect(home.leftOut).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    [{ stat_t: 'ac/mode/set' }, /where ac of the configuration is commanded/],
    [{ stat_t: 'door/set' }, /where door is commanded/],
  ])('on which others are commanded are no readings: %j', async (more, expected) => {
    await home.announce(topicOf('evil'), hostile(more));
    expect(home.leftOut).toEqual([expect.stringMatching(expected)]);
  });

  it('that an origin adds are looked at too', async () => {
    const evil = {
      uniq_id: 'evil',
      cmd_t: 'ac/set',
      stat_t: 'ac',
      val_tpl: '{{ value_json.x }}',
      o: { name: 'Zigbee2MQTT' },
    };
    await home.announce(topicOf('evil'), evil);
    expect(home.leftOut).toEqual([expect.stringMatching(/ac\/get belongs to ac/)]);
  });

  it('are shared by the parts of one thing', async () => {
    const part = { cmd_t: 'box/set', stat_t: 'box', dev: { ids: ['box-1'] } };
    await home.announce(topicOf('a'), { ...part, uniq_id: 'a' });
    await home.announce('homeassistant/light/b/config', { ...part, uniq_id: 'b', dev: { ids: 'box-1' } });
    await home.announce(topicOf('c'), { ...part, uniq_id: 'c', dev: { ids: ['other'] } });
    expect(home.ids).toEqual(['ac', 'door', 'a', 'b']);
  });

  it('are free again when their device has withdrawn or moved', async () => {
    await home.announce(topicOf('door'), { ...plug('door'), cmd_t: 'door/do', dev: { ids: ['door-1'] } });
    await home.announce(topicOf('a'), { ...plug('a'), cmd_t: 'door/set' });
    await home.announce(topicOf('door'), '');
    await home.announce(topicOf('b'), { ...plug('b'), cmd_t: 'door/do' });
    expect(home.ids).toEqual(['ac', 'a', 'b']);
    expect(home.leftOut).toEqual([]);
  });

  it('keep a device as it was where a change of it reaches for those of others', async () => {
    await home.announce(topicOf('a'), plug('a'));
    await home.announce(topicOf('a'), { ...plug('a'), cmd_t: 'door/set' });
    expect((await home.send('a', { power: 'on' })).published).toEqual([['a/set', 'ON']]);
    expect(home.leftOut).toHaveLength(1);
  });
});

describe('when the configuration changes', () => {
  const config = parseDevice({ name: 'Mine', kind: 'switch', fields: { power: { write: { topic: 'door/set' } } } });

  it('an announced device makes room for the configured one with its topics, and comes back when that is gone', async () => {
    home.link.keep(topicOf('door'), plug('door'));
    await home.discovery.review();
    await home.discovery.idle();
    expect(home.ids).toEqual(['door']);

    home.configured = { front_door: config };
    await home.registry.replace(home.build('front_door', config));
    await home.discovery.review();
    await home.discovery.idle();
    expect(home.ids).toEqual(['front_door']);
    expect(home.leftOut).toEqual([expect.stringMatching(/door\/set belongs to front_door of the configuration/)]);

    home.configured = {};
    await home.registry.drop('front_door');
    await home.discovery.review();
    await home.discovery.idle();
    expect(home.ids).toEqual(['door']);
    expect(home.leftOut).toEqual([]);
  });

  it('an announced device gives its id to the configured one and gets another', async () => {
    const other = parseDevice({ name: 'Mine', kind: 'switch', fields: { power: { write: { topic: 'mine/set' } } } });
    home.link.keep(topicOf('door'), plug('door'));
    await home.discovery.review();
    await home.discovery.idle();
    home.configured = { door: other };
    await home.registry.replace(home.build('door', other));
    await home.discovery.review();
    await home.discovery.idle();
    expect(home.ids).toEqual(['door', expect.stringMatching(/^door_[0-9a-f]{6}$/)]);
    expect(home.device('door').spec.name).toBe('Mine');
    await home.announce(topicOf('door'), '');
    expect(home.ids).toEqual(['door']);
  });
});

describe('an allow list', () => {
  const announced = {
    uniq_id: 'lamp',
    cmd_t: 'zigbee2mqtt/lamp/set',
    o: { name: 'Zigbee2MQTT' },
    dev: { ids: ['zigbee2mqtt_0x00124b0022'], cns: [['mac', '02:5b:26:a8:dc:12']] },
  };
  const place = 'homeassistant/switch/0x00124b0022/lamp_1/config';

  it.each([
    [[{ topic: 'homeassistant/+/0x00124b0022/#' }], true],
    [[{ topic: 'homeassistant/light/#' }], false],
    [[{ object_id: 'LAMP_*' }], true],
    [[{ object_id: 'lamp' }], false],
    [[{ object_id: '*a*p*1' }], true],
    [[{ object_id: 'l*p_1*1' }], false],
    [[{ origin: 'zigbee2mqtt' }], true],
    [[{ origin: 'esphome' }], false],
    [[{ device: '*0x00124b*' }], true],
    [[{ device: '02:5B:26:*' }], true],
    [[{ device: '0x00124b0022' }], false],
    [[{ command_topic: 'zigbee2mqtt/#' }], true],
    [[{ command_topic: 'zigbee2mqtt/+' }], false],
    [[{ origin: 'zigbee2mqtt', device: 'other' }], false],
    [[{ origin: 'esphome' }, { device: '*22' }], true],
  ])('%j: %s', async (allow, taken) => {
    home = await new DiscoveredHome({ allow }).start();
    await home.announce(place, announced);
    expect(home.ids).toEqual(taken ? ['lamp'] : []);
    expect(home.leftOut).toEqual(taken ? [] : [expect.stringContaining('no rule of mqtt.discovery.allow allows it')]);
  });
});

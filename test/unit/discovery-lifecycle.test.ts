import { beforeEach, describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import type { DeviceChange } from '../../gateway/domain/device.ts';
import { DiscoveredHome } from '../support/discovered-home.ts';

const PLUG = 'homeassistant/switch/plug/config';
const plug = { unique_id: 'plug', name: 'Plug', command_topic: 'plug/set', state_topic: 'plug' };

let home: DiscoveredHome;

beforeEach(async () => {
  home = await new DiscoveredHome().start();
});

const caveats = (id: string) => home.device(id).spec.caveats.join('\n');
const warnings = () => home.logged.filter(({ level }) => level === 'warn');

describe('a device that announces itself', () => {
  it('is there when the gateway starts, where the broker has kept its message', async () => {
    const later = new DiscoveredHome();
    later.link.keep(PLUG, plug);
    await later.start();
    expect(later.ids).toEqual(['plug']);
  });

  it('is changed in place, keeps its id and what is known of it', async () => {
    const changes: DeviceChange[] = [];
    home.registry.subscribe((change) => changes.push(change));
    await home.announce(PLUG, plug);
    await home.link.say('plug', 'ON');
    await home.announce(PLUG, { ...plug, object_id: 'other', command_topic: 'plug/do' });
    expect(home.ids).toEqual(['plug']);
    expect(home.device('plug').state().values).toMatchObject({ power: { value: 'on', live: false } });
    expect((await home.send('plug', { power: 'off' })).published).toEqual([['plug/do', 'OFF']]);
    expect(changes.map(({ type }) => type)).toEqual(['present', 'present']);
  });

  it('is left alone by a message that says the same again', async () => {
    await home.announce(PLUG, plug);
    const before = home.device('plug');
    await home.announce(PLUG, plug);
    expect(home.device('plug')).toBe(before);
  });

  it('is gone with an empty message, and listens no more', async () => {
    await home.announce(PLUG, plug);
    await home.announce(PLUG, '');
    expect(home.ids).toEqual([]);
    expect(home.link.filters.filter((filter) => filter.startsWith('plug'))).toEqual([]);
  });

  it('is known by its unique id: a second message about it is left out', async () => {
    await home.announce(PLUG, plug);
    await home.announce('homeassistant/switch/node/plug/config', { ...plug, command_topic: 'evil/set' });
    expect((await home.send('plug', { power: 'on' })).published).toEqual([['plug/set', 'ON']]);
    expect(warnings()).toMatchObject([{ details: { reason: expect.stringContaining('announces plug already') } }]);
  });

  it('is handed over to a device message without losing its identity', async () => {
    const bundle = 'homeassistant/device/plug/config';
    const changes: DeviceChange[] = [];
    await home.announce(PLUG, plug);
    home.registry.subscribe((change) => changes.push(change));
    await home.announce(PLUG, { migrate_discovery: true });
    await home.announce(bundle, { o: { name: 'x' }, cmps: { a: { p: 'switch', ...plug, name: 'New name' } } });
    await home.announce(PLUG, '');
    expect(home.ids).toEqual(['plug']);
    expect(home.device('plug').spec.name).toBe('New name');
    expect(changes.map(({ type }) => type)).toEqual(['present']);
    await home.announce(bundle, '');
    expect(home.ids).toEqual([]);
  });
});

describe('a device message', () => {
  const TOPIC = 'homeassistant/device/box/config';
  const part = (name: string, rest = {}) => ({
    p: 'switch',
    uniq_id: name,
    cmd_t: `${name}/set`,
    stat_t: name,
    ...rest,
  });

  it('withdraws the components that hold nothing but their platform, and all of them when it is empty', async () => {
    await home.announce(TOPIC, { cmps: { a: part('a'), b: part('b'), c: part('c') } });
    await home.announce(TOPIC, { cmps: { a: { p: 'switch' }, b: part('b') } });
    expect(home.ids).toEqual(['b', 'c']);
    await home.announce(TOPIC, '');
    expect(home.ids).toEqual([]);
  });

  it('shares what it says at the top, and only what is to be shared', async () => {
    const top = {
      avty_t: '~/on',
      '~': 'box',
      pl_avail: 'up',
      stat_t: 'box/state',
      dev: { name: 'Box' },
      qos: 0,
      ret: true,
    };
    const list = [{ t: '~/own' }];
    await home.announce(TOPIC, {
      ...top,
      cmps: { a: part('a', { stat_t: undefined }), b: part('b', { '~': 'b', avty: list, name: 'B' }) },
    });
    await home.link.say('box/on', 'up');
    await home.link.say('box/state', 'ON');
    expect(home.device('a').state()).toMatchObject({ online: true, values: { power: { value: 'on' } } });
    expect(home.device('b').state()).toMatchObject({ online: null, values: {} });
    await home.link.say('b/own', 'offline');
    expect(home.device('b').state().online).toBe(false);
    expect(home.device('b').spec.name).toBe('Box B');
    await home.send('a', { power: 'on' });
    expect(home.link.published).toEqual([{ topic: 'a/set', payload: 'ON', qos: 0 }]);
    expect(caveats('a')).toBe('');
  });

  it('carries 64 components at most', async () => {
    const cmps = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`c${index}`, part(`c${index}`)]));
    await home.announce(TOPIC, { cmps });
    expect(home.ids).toEqual([]);
    expect(warnings()).toMatchObject([{ details: { reason: expect.stringContaining('at most 64') } }]);
  });
});

describe('ids', () => {
  it.each([
    [{ default_entity_id: 'switch.Küchen-Lampe 2', object_id: 'x' }, 'kuchen_lampe_2'],
    [{ object_id: 'Kettle', unique_id: 'u' }, 'kettle'],
    [{ unique_id: '0xAB:CD' }, '0xab_cd'],
    [{ unique_id: '電気' }, 'plug'],
    [{}, 'plug'],
  ])('of %j is %s', async (names, id) => {
    const { unique_id: _, ...rest } = plug;
    await home.announce(PLUG, { ...rest, ...names });
    expect(home.ids).toEqual([id]);
  });

  it('are never those of a configured device, and the same whenever they are made', async () => {
    const config = parseDevice({ kind: 'switch', fields: { power: { write: { topic: 'mine' } } } });
    const ids: string[][] = [];
    for (let run = 0; run < 2; run += 1) {
      const full = await new DiscoveredHome({ configured: { plug: config } }).start();
      const own = full.device('plug');
      await full.announce(PLUG, plug);
      await full.announce(PLUG, '');
      await full.announce(PLUG, plug);
      expect(full.device('plug')).toBe(own);
      ids.push(full.ids);
    }
    expect(ids[0]).toEqual(['plug', expect.stringMatching(/^plug_[0-9a-f]{6}$/)]);
    expect(ids[1]).toEqual(ids[0]);
  });
});

describe('a message that cannot be taken over', () => {
  it.each<[string, string, unknown]>([
    ['no JSON', PLUG, '{"unique_id": '],
    ['a list', PLUG, []],
    ['nothing to command', PLUG, { name: 'x' }],
    ['too large', PLUG, { ...plug, name: 'x'.repeat(300_000) }],
    ['limits that contradict', 'homeassistant/climate/x/config', { temp_cmd_t: 'a', min_temp: 30, max_temp: 10 }],
    ['nested beyond reason', PLUG, `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['of wrong types', PLUG, { ...plug, device: 7, command_topic: ['x'], availability: 'x', qos: 'high' }],
  ])('with %s leaves a warning and the others alone', async (_, topic, payload) => {
    await home.announce('homeassistant/switch/good/config', { ...plug, unique_id: 'good' });
    await home.announce(topic, payload);
    expect(home.ids).toEqual(['good']);
    expect(warnings()).toHaveLength(1);
    await home.link.say('plug', 'ON');
    expect(home.values('good')).toEqual({ power: 'on' });
  });

  it('leaves the device as it was where an update of it is broken', async () => {
    await home.announce(PLUG, plug);
    await home.announce(PLUG, '{"unique_id": ');
    expect(home.ids).toEqual(['plug']);
  });

  it.each([['homeassistant/sensor/x/config'], ['homeassistant/switch/a b/config']])(
    'is passed over on %s',
    async (topic) => {
      await home.announce(topic, plug);
      expect(home.ids).toEqual([]);
    },
  );

  it('is passed over where its bridge leaves the entity switched off', async () => {
    await home.announce(PLUG, { ...plug, en: false });
    expect(home.ids).toEqual([]);
  });
});

describe('what is left out of a device', () => {
  it.each(['#', 'a/+/set', '$SYS/broker', 'a\u0000', '', 'x'.repeat(1025)])(
    'a command on the topic "%.12s"',
    async (topic) => {
      await home.announce('homeassistant/fan/x/config', {
        uniq_id: 'x',
        cmd_t: 'x/set',
        stat_t: 'x',
        pct_cmd_t: topic,
        pct_stat_t: 'x/pct',
      });
      expect(home.device('x').spec.fields).toMatchObject({ percentage: { writable: false } });
      expect(caveats('x')).toMatch(/^percentage_command_topic is left out: /);
    },
  );

  it('a topic that would listen to everything', async () => {
    await home.announce(PLUG, { ...plug, state_topic: '#', availability_topic: 'a/#' });
    expect(home.link.filters.filter((filter) => !filter.includes('/config'))).toEqual([]);
    expect(caveats('plug')).toMatch(/availability_topic is left out.*state_topic is left out/s);
  });

  it.each([
    ['{{ value_json.x', /power cannot be read: syntax error/],
    ["{{ value | regex_replace('a', 'b') }}", /power cannot be read: unknown filter/],
  ])('a reading by a template that cannot run: %s', async (template, expected) => {
    await home.announce(PLUG, { ...plug, value_template: template });
    expect(home.device('plug').spec).toMatchObject({
      verify: { level: 2 },
      fields: { power: { readback: { readable: false } } },
    });
    expect(caveats('plug')).toMatch(expected);
  });

  it('a command by a template that cannot run', async () => {
    await home.announce(PLUG, { ...plug, command_template: '{{ value | nonesuch }}' });
    expect(home.device('plug').spec.fields['power']).toMatchObject({ writable: false, readback: { readable: true } });
    expect(caveats('plug')).toMatch(/power cannot be commanded/);
  });

  it('proof, where there is no state topic', async () => {
    await home.announce(PLUG, { ...plug, state_topic: undefined, optimistic: true, retain: true });
    expect(home.device('plug').spec.verify.level).toBe(2);
    expect(caveats('plug')).toMatch(/no state topic.*optimistic.*not retained/s);
  });

  it('a template in a topic or a payload: they are words', async () => {
    await home.announce(PLUG, { ...plug, command_topic: '{{ value }}/set', payload_on: '{{ 7 * 7 }}' });
    expect((await home.send('plug', { power: 'on' })).published).toEqual([['{{ value }}/set', '{{ 7 * 7 }}']]);
  });

  it('everything beyond 500 devices', async () => {
    for (let index = 0; index < 501; index += 1) {
      await home.link.say(`homeassistant/switch/p${index}/config`, {
        unique_id: `p${index}`,
        command_topic: `p${index}/set`,
      });
    }
    await home.announce(PLUG, '');
    expect(home.ids).toHaveLength(500);
    expect(warnings()).toMatchObject([{ details: { reason: expect.stringContaining('500 devices') } }]);
  });
});

describe('relays that Tasmota announces itself', () => {
  const TOPIC = 'tasmota/discovery/AABBCCDDEEFF/config';
  const node = {
    dn: 'Heater',
    fn: ['Heater', 'Boost', null],
    mac: 'AABBCCDDEEFF',
    md: 'Sonoff',
    t: 'heater',
    ft: 'home/%topic%/%prefix%/',
    tp: ['cmnd', 'stat', 'tele'],
    rl: [1, 1, 0],
    state: ['OFF', 'ON', 'TOGGLE', 'HOLD'],
    onln: 'Online',
    ofln: 'Offline',
  };

  it('are switches', async () => {
    await home.announce(TOPIC, node);
    expect(home.ids).toEqual(['heater', 'heater_relay2']);
    expect(home.device('heater_relay2').spec).toMatchObject({ name: 'Boost', kind: 'switch' });
    await home.link.say('home/heater/tele/LWT', 'Online');
    await home.link.say('home/heater/stat/POWER2', 'ON');
    expect(home.device('heater_relay2').state()).toMatchObject({ online: true, values: { power: { value: 'on' } } });
    expect((await home.send('heater', { power: 'on' })).published).toEqual([['home/heater/cmnd/POWER1', 'ON']]);
    await home.announce(TOPIC, '');
    expect(home.ids).toEqual([]);
  });

  it('have the plain name where there is one', async () => {
    await home.announce(TOPIC, { ...node, rl: [1] });
    expect((await home.send('heater', { power: 'on' })).published).toEqual([['home/heater/cmnd/POWER', 'ON']]);
  });

  it.each([{ ...node, t: '#' }, { ...node, ft: undefined }, 'x'])(
    'are left out where the message is %j',
    async (message) => {
      await home.announce(TOPIC, message);
      expect(home.ids).toEqual([]);
      expect(warnings()).toHaveLength(1);
    },
  );
});

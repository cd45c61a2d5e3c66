import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { topicsOf } from '../../gateway/devices/device-topics.ts';
import type { Device } from '../../gateway/domain/device.ts';
import { matches } from '../../gateway/transports/mqtt-filter.ts';
import { DiscoveredHome } from '../support/discovered-home.ts';

/** The device of the configuration that everybody is after. */
const OWN = parseDevice({
  kind: 'climate',
  fields: {
    hvac_mode: { write: { topic: 'ac/mode/set' }, read: { topic: 'ac/+/state' }, read_now: { topic: 'ac/get' } },
    target_temperature: { write: { topic: 'ac/temp/set' }, read: { topic: 'ac/temp' }, min: 16, max: 30 },
  },
  availability: { topic: 'ac/online' },
});
const OWN_TOPICS = topicsOf(OWN);
const RESERVED = ['readback/status', 'homeassistant/#', 'tasmota/discovery/#'];

/** Topics that matter, some that are none, and many that nobody else has. */
const special = fc.constantFrom(
  ...OWN_TOPICS.publishes,
  'ac/1/state',
  'ac/temp',
  'ac/online',
  'readback/status',
  'homeassistant/switch/new/config',
  'tasmota/discovery/x/config',
  'zigbee2mqtt/bridge/request/permit_join',
  'a/set',
  'b/set',
  'a',
  'b',
  '~/set',
  '$SYS/broker',
  '#',
  '+/set',
  'a\u0000b',
  '',
  'x'.repeat(2_000),
);
const topics = fc.oneof(
  special,
  fc.nat({ max: 500 }).map((number) => `free/${number}/set`),
);
const templates = fc.constantFrom(
  '{{ value }}',
  '{{ value_json.a }}',
  '{{ value',
  '{% for i in range(100000000) %}{{ i }}{% endfor %}',
  '{{ "a" * 1000000000 }}',
  '{{ value.__class__.__mro__ }}',
  '{{ self.constructor.constructor("return process")() }}',
);
const words = fc.oneof(fc.string(), topics, templates, fc.constantFrom('ac', 'climate', 'ON', 'x'.repeat(9_000)));
const anything = fc.oneof(
  { weight: 4, arbitrary: words },
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(words, { maxLength: 4 }),
  fc.constant(Array(300).fill('x')),
  fc.dictionary(fc.constantFrom('t', 'topic', 'ids', 'name', 'mf', '__proto__', 'cns'), words, { maxKeys: 3 }),
);
const keys = fc.constantFrom(
  ...['name', 'uniq_id', 'obj_id', 'def_ent_id', '~', 'dev', 'o', 'avty', 'avty_t', 'avty_mode', 'qos', 'ret', 'opt'],
  ...['cmd_t', 'cmd_tpl', 'stat_t', 'val_tpl', 'pl_on', 'stat_on', 'mode_cmd_t', 'mode_stat_t', 'modes', 'temp_cmd_t'],
  ...['min_temp', 'max_temp', 'fan_mode_cmd_t', 'pct_cmd_t', 'pct_stat_t', 'set_pos_t', 'pos_t', 'schema', 'bri_cmd_t'],
  ...['t', 'ft', 'tp', 'mac', 'rl', 'state', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
);
const known = fc.record(
  {
    uniq_id: fc.constantFrom('ac', 'u1', 'u2'),
    cmd_t: topics,
    stat_t: topics,
    mode_cmd_t: topics,
    mode_stat_t: topics,
    val_tpl: templates,
    dev: fc.record({ ids: fc.constantFrom(['d1'], 'd1', ['d2'], 7) }),
    o: fc.record({ name: fc.constantFrom('Zigbee2MQTT', 'esphome', 'x') }),
  },
  { requiredKeys: [] },
);
const entity = fc
  .tuple(known, fc.dictionary(keys, anything, { maxKeys: 5 }))
  .map(([likely, odd]) => ({ ...likely, ...odd }));
const kinds = fc.constantFrom(
  'climate',
  'fan',
  'light',
  'cover',
  'switch',
  'humidifier',
  'sensor',
  'device',
  '__proto__',
);
const places = fc.oneof(
  fc.tuple(kinds, fc.constantFrom('ac', 'x', 'y')).map(([kind, id]) => `homeassistant/${kind}/${id}/config`),
  fc.constant('tasmota/discovery/AA/config'),
);
const payloads = fc.oneof(
  { weight: 6, arbitrary: entity },
  fc
    .dictionary(
      fc.constantFrom('a', 'b', '__proto__'),
      entity.map((each) => ({ ...each, p: 'switch' })),
    )
    .map((cmps) => ({ cmps })),
  fc.record({
    t: topics,
    ft: fc.constant('%prefix%/%topic%/'),
    tp: fc.array(topics),
    mac: fc.constant('AA'),
    rl: fc.constant([1, 1]),
  }),
  fc.constant({ migrate_discovery: true }),
  fc.string(),
  fc.constantFrom('', '[', 'null', '{"__proto__":{"cmd_t":"ac/mode/set"}}'),
);
const announcements = fc.array(fc.tuple(places, payloads), { minLength: 1, maxLength: 12 });

/** Tells a device to do all that it says it can. @returns where that was published */
async function publishedBy(home: DiscoveredHome, device: Device): Promise<string[]> {
  const first = home.link.published.length;
  for (const field of Object.values(device.spec.fields)) {
    const value = field.compare.type === 'number' ? 20 : (field.options?.[0] ?? String(field.map[0]?.[1] ?? 'on'));
    if (field.writable) await device.send({ [field.name]: value }, () => {}, new AbortController().signal);
    if (field.readback.askable) void device.read([field.name]);
  }
  return home.link.published.slice(first).map(({ topic }) => topic);
}

it('whatever is announced, nobody is stood in for and nothing is published where it does not belong', async () => {
  const before = Object.keys(Object.prototype);
  let published = 0;
  await fc.assert(
    fc.asyncProperty(announcements, async (messages) => {
      const home = await new DiscoveredHome({ configured: { ac: OWN } }).start();
      const own = home.device('ac');
      for (const [topic, payload] of messages) {
        await home.announce(topic, typeof payload === 'string' ? payload : JSON.stringify(payload));
      }
      expect(home.device('ac')).toBe(own);
      expect(home.logged.filter(({ level }) => level === 'error')).toEqual([]);
      expect(Object.keys(Object.prototype)).toEqual(before);

      const listened = home.link.filters.filter((filter) => !OWN_TOPICS.hears.includes(filter));
      for (const filter of listened) expect(filter).toMatch(/\/config$|^[^$+#]/);
      for (const device of home.registry.list()) {
        if (device === own) continue;
        const { name, fields, caveats } = device.spec;
        expect([...name].length).toBeLessThanOrEqual(110);
        expect(JSON.stringify([fields, caveats]).length).toBeLessThan(100_000);
        for (const topic of await publishedBy(home, device)) {
          expect(topic).not.toMatch(/[+#\0]|^\$|\/bridge\//);
          for (const filter of [...RESERVED, ...OWN_TOPICS.publishes, ...OWN_TOPICS.hears]) {
            expect(matches(filter, topic)).toBe(false);
          }
          published += 1;
        }
      }
      await home.stop();
    }),
    { numRuns: 100 },
  );
  // Hostile as they are, many make devices: otherwise nothing has been proved.
  expect(published).toBeGreaterThan(50);
}, 60_000);

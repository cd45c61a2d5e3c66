import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../gateway/config/json-schema.ts';
import { parseDevice } from '../../gateway/config/load.ts';
import { duration } from '../../gateway/config/schema-parts.ts';
import { shippedPath } from '../../gateway/config/shipped.ts';

/** A heater with one field, and whatever a test lays over it. */
function heater(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Attic heater',
    kind: 'climate',
    http: { base: 'http://device' },
    requests: { status: { get: '/state' }, apply: { post: '/set', json: { t: '{{ want.target_temperature }}' } } },
    fields: { target_temperature: field() },
    ...over,
  };
}

function field(over: Record<string, unknown> = {}): Record<string, unknown> {
  return { write: 'apply', read: { request: 'status', path: 't' }, min: 5, max: 30, step: 0.5, unit: 'C', ...over };
}

const withField = (over: Record<string, unknown>) => heater({ fields: { target_temperature: field(over) } });

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    [0, 0],
  ])('%s is %d ms', (written, ms) => expect(duration.parse(written)).toBe(ms));

  it('keep every whole number of milliseconds', () => {
    fc.assert(fc.property(fc.nat(480 * 3_600_000), (ms) => duration.parse(`${ms}ms`) === ms));
  });

  it.each([5, '5', '5 s', '-5s', '5d', '481h', '', null, true])(
    'are refused as %j, saying how to write them',
    (written) => {
      expect(duration.safeParse(written).error?.issues[0]?.message).toContain('500ms, 5s, 2m or 1h');
    },
  );
});

describe('a device', () => {
  it('is filled up with the defaults of its kind', () => {
    expect(parseDevice(heater())).toMatchObject({
      http: { timeout: 5000, min_gap: 0, parallel: 4 },
      requests: { status: { method: 'GET', path: '/state', decode: 'json' } },
      fields: { target_temperature: { map: [], approval: { type: 'never' }, scale: 1, read_only: false } },
      verify: {
        echo: 0,
        settle: 2000,
        deadline: 10_000,
        poll: [600, 1500, 3000, 6000],
        watch: 120_000,
        level: 3,
        resend: 0,
      },
    });
  });

  it('is not polled when it speaks MQTT', () => {
    const { http: _http, requests: _requests, ...rest } = heater();
    const topics = { write: { topic: 'a/set', payload: '{{ value }}' }, read: { topic: 'a' } };
    const device = parseDevice({ ...rest, fields: { target_temperature: topics } });
    expect(device.verify).toMatchObject({ echo: 1500, poll: [] });
    expect(device.fields['target_temperature']?.write).toEqual({ topic: 'a/set', payload: '{{ value }}', qos: 1 });
  });

  it('takes its kind from the Home Assistant keys that describe it', () => {
    const device = parseDevice({ name: 'Cellar', mqtt_climate: { mode_command_topic: 'a/set' }, order: ['hvac_mode'] });
    expect(device).toMatchObject({ kind: 'climate', fields: { hvac_mode: { write: { topic: 'a/set' } } } });
  });

  it.each([
    [
      { topic: 't' },
      {
        type: 'topics',
        mode: 'latest',
        list: [{ topic: 't', payload_available: 'online', payload_not_available: 'offline' }],
      },
    ],
    [[{ topic: 't' }, { topic: 'u' }], { type: 'topics', mode: 'latest', list: [{ topic: 't' }, { topic: 'u' }] }],
    [
      { mode: 'all', list: [{ topic: 't', value_template: '{{ value }}' }] },
      { type: 'topics', mode: 'all', list: [{ topic: 't' }] },
    ],
    [{ request: 'status' }, { type: 'request', request: 'status' }],
  ])('takes availability as %j', (availability, taken) => {
    expect(parseDevice(heater({ availability })).availability).toMatchObject(taken);
  });

  it.each([
    ['never', { type: 'never' }],
    ['always', { type: 'always' }],
    [{ outside: [18, 25] }, { type: 'outside', low: 18, high: 25 }],
    [{ values: [30] }, { type: 'values', values: [30] }],
  ])('takes approval as %j', (approval, taken) => {
    expect(parseDevice(withField({ approval })).fields['target_temperature']?.approval).toEqual(taken);
  });

  it('takes a map as an object or as pairs', () => {
    const pairs = [
      ['0', 'auto'],
      ['1', 'auto'],
      ['3', 'cool'],
    ];
    const mode = (map: unknown) =>
      heater({
        fields: { hvac_mode: { write: 'apply', read: { request: 'status' }, map } },
        requests: { status: { get: '/state' }, apply: { post: '/set' } },
      });
    expect(parseDevice(mode(pairs)).fields['hvac_mode']?.map).toEqual(pairs);
    expect(parseDevice(mode({ A: 'auto' })).fields['hvac_mode']?.map).toEqual([['A', 'auto']]);
  });
});

describe('devices of the wild are taken as their owners write them', () => {
  const kv = { decode: 'kv', reject: "{{ 'ret=OK' not in value }}" };
  const timing = { echo: '0s', settle: '1s', deadline: '10s', level: 3 };
  it.each<[string, Record<string, unknown>]>([
    [
      'a setpoint that is written with all its neighbours',
      {
        http: { base: 'http://device', timeout: '5s', parallel: 1 },
        requests: {
          status: { get: '/control', ...kv },
          apply: {
            get: '/set',
            query: { mode: '{{ state.mode }}', t: '{{ want.target_temperature }}' },
            before: 'status',
            ...kv,
          },
        },
        fields: {
          hvac_mode: { read: { request: 'status', path: 'mode' }, map: { 0: 'auto', 3: 'cool' }, read_only: true },
          target_temperature: { write: 'apply', read: { request: 'status', path: 't' }, nulls: ['--', 'M'], step: 0.5 },
        },
        guard: ['hvac_mode'],
      },
    ],
    [
      'a fan that can be asked over MQTT',
      {
        fields: {
          power: {
            write: { topic: 'z/fan/set/state', payload: '{{ value }}' },
            read: { topic: 'z/fan', path: 'state' },
            read_now: { topic: 'z/fan/get', payload: { state: '' } },
            map: { ON: 'on', OFF: 'off' },
          },
        },
      },
    ],
    [
      'a blind that says when it moves, and a bridge that says when it failed',
      {
        fields: {
          position: {
            write: { topic: 'z/blind/set', payload: '{"position": {{ value }}}' },
            ack: { topic: 'z/blind', path: 'target' },
            read: { topic: 'z/blind', path: 'position', period: '30s' },
            min: 0,
            max: 100,
            tolerance: 3,
            moving_when: "{{ value_json.moving in ['UP', 'DOWN'] }}",
          },
        },
        errors: { topic: 'z/log', match: "{{ value_json.level == 'error' }}" },
        availability: { topic: 'z/blind/lwt', payload_available: 'Online', payload_not_available: 'Offline' },
      },
    ],
    [
      'an infrared fan that says nothing at all',
      {
        http: { base: 'http://device' },
        requests: { 'send-ir': { post: '/ir', json: { code: '{{ want.power }}' } } },
        fields: { power: { write: 'send-ir', map: { P1: 'on', P0: 'off' } } },
      },
    ],
    [
      "Home Assistant's own keys",
      {
        kind: undefined,
        mqtt_climate: { mode_command_topic: 'a/set', modes: ['off', 'heat'], availability: [{ topic: 'b' }] },
      },
    ],
  ])('%s', (_, body) => {
    expect(() => parseDevice({ name: 'Cellar', kind: 'climate', verify: timing, ...body })).not.toThrow();
  });
});

describe('a mistake is told with its place and what is allowed', () => {
  const status = { get: '/state' };
  it.each<[string, unknown, RegExp]>([
    ['unknown key', heater({ feilds: {} }), /unknown key "feilds"; did you mean "fields"\? allowed keys are: name, /],
    [
      'unknown key further in',
      withField({ raed: {} }),
      /target_temperature: unknown key "raed"; did you mean "read"\?/,
    ],
    ['no kind', heater({ kind: undefined }), /needs a kind: climate, fan/],
    ['no such kind', heater({ kind: 'oven' }), /kind: expected one of: "climate", "fan"/],
    ['nothing to control', heater({ fields: {} }), /needs fields, an mqtt_\* key, or a profile/],
    ['two kinds', { ...heater(), mqtt_fan: {} }, /mqtt_fan: a device of kind climate is described by mqtt_climate/],
    ['requests without http', heater({ http: undefined }), /requests: needs http beside it/],
    [
      'address of another protocol',
      heater({ http: { base: 'ftp://device' } }),
      /http\.base: must be an address such as/,
    ],
    [
      'plain number as duration',
      heater({ http: { base: 'http://device', timeout: 5 } }),
      /http\.timeout: a duration is/,
    ],
    ['poll without a pause', heater({ verify: { poll: [0] } }), /verify\.poll\.0: must be longer than 0/],
    [
      'no method',
      heater({ requests: { status, apply: { json: {} } } }),
      /apply: a request needs exactly one of get, post/,
    ],
    [
      'two methods',
      heater({ requests: { status, apply: { get: '/a', put: '/a' } } }),
      /apply: a request needs exactly one/,
    ],
    [
      'two bodies',
      heater({ requests: { status, apply: { post: '/a', json: 1, body: 'x' } } }),
      /one body, not json and body/,
    ],
    ['a body with get', heater({ requests: { status, apply: { get: '/a', json: 1 } } }), /a get request has no body/],
    [
      'path without slash',
      heater({ requests: { status, apply: { post: 'set' } } }),
      /the path of a request starts with \//,
    ],
    [
      'request before itself',
      heater({ requests: { status, apply: { post: '/a', before: 'apply' } } }),
      /before: a request cannot/,
    ],
    [
      'request to read first',
      heater({ requests: { status, apply: { post: '/a', before: 'stat' } } }),
      /before: there is no request "stat"/,
    ],
    [
      'wish of no field',
      heater({ requests: { status, apply: { post: '/a', json: ['{{ want.temp }}'] } } }),
      /json\.0: there is no field "temp"/,
    ],
    [
      'request to write',
      withField({ write: 'aply' }),
      /write: there is no request "aply"; did you mean "apply"\? requests are: status, apply/,
    ],
    [
      'request to read',
      withField({ read: { request: 'x' } }),
      /read\.request: there is no request "x"; requests are: status, apply/,
    ],
    ['request for life', heater({ availability: { request: 'x' } }), /availability\.request: there is no request "x"/],
    [
      'path and template',
      withField({ read: { request: 'status', path: 'a', template: 'b' } }),
      /read: takes path or template/,
    ],
    [
      'request and topic',
      withField({ read: { request: 'status', topic: 'a' } }),
      /read: needs one of request, events and topic/,
    ],
    [
      'events and topic',
      withField({ read: { events: 'live', topic: 'a' } }),
      /read: needs one of request, events and topic; request and events may stand together/,
    ],
    [
      'stream of no name',
      withField({ read: { events: 'apply' } }),
      /events: no request "apply" has events; no streams/,
    ],
    [
      'stream that is made',
      heater({ requests: { live: { events: '/e' }, apply: { post: '/a' } }, availability: { request: 'live' } }),
      /availability\.request: "live" is a stream of events: it belongs under read, as events: live/,
    ],
    [
      'stream that answers',
      heater({ requests: { status, apply: { events: '/e', reject: '{{ true }}' } } }),
      /apply: a stream of events takes no reject/,
    ],
    [
      'heartbeat of no stream',
      heater({ requests: { status: { get: '/s', heartbeat: '5s' } } }),
      /status: heartbeat belongs to a stream: events: \/events/,
    ],
    ['acknowledgement by a stream', withField({ ack: { events: 'live' } }), /ack: unknown key "events"/],
    [
      'login in the address',
      heater({ http: { base: 'http://me:secret@192.0.2.1' } }),
      /http\.base: a login does not belong in the address: give the requests headers/,
    ],
    [
      'no time at all',
      heater({ http: { base: 'http://192.0.2.1', timeout: 0 } }),
      /http\.timeout: must be longer than 0/,
    ],
    ['query in the address', heater({ http: { base: 'http://192.0.2.1/?a=b' } }), /http\.base: an address ends before/],
    [
      'neither write nor read',
      withField({ write: undefined, read: undefined }),
      /target_temperature: needs write, read or both/,
    ],
    ['read-only and written', withField({ read_only: true }), /write: a field that is read_only cannot have write/],
    ['limits crossed', withField({ min: 31 }), /min: 31 is larger than max, 30/],
    ['limit by no field', withField({ max_by: { mode: { heat: 1 } } }), /max_by: there is no field "mode"/],
    ['order', heater({ order: ['power'] }), /order\.0: there is no field "power"; fields are: target_temperature/],
    ['guard', heater({ guard: ['power'] }), /guard\.0: there is no field "power"/],
    [
      'side effect',
      heater({ side_effects: { target_temperature: ['x'] } }),
      /side_effects\.target_temperature\.0: there is no field/,
    ],
    [
      'map outside options',
      withField({ options: ['cool', 'heat'], map: { C: 'col' } }),
      /map\.C: target_temperature is never "col"; did you mean "cool"/,
    ],
    [
      'pair outside options',
      withField({ options: ['cool'], map: [['C', 'col']] }),
      /map\.0\.1: target_temperature is never "col"/,
    ],
    [
      'condition on no word',
      withField({ options: ['cool'], applies_when: { target_temperature: 'heat' } }),
      /is never "heat"; its words are: cool/,
    ],
    [
      'alias outside options',
      withField({ options: ['cool'], alias: { x: 'heat' } }),
      /alias\.x: target_temperature is never "heat"/,
    ],
    ['map with a double', withField({ map: { a: 'on', b: 'on' } }), /map\.b: "a" means on too; write a list of pairs/],
    [
      'truth value for a word',
      withField({ options: [true] }),
      /options\.0: expected a word or a number; write on and off/,
    ],
    ['scale of nothing', withField({ scale: 0 }), /scale: must not be 0/],
    ['approval', withField({ approval: { outside: [1, 2], values: [1] } }), /approval: needs either outside or values/],
    ['message without topic', withField({ write: { payload: 'x' } }), /write\.topic: is missing/],
    ['evidence level', heater({ verify: { level: 4 } }), /verify\.level: expected 1, 2 or 3/],
  ])('%s', (_, device, message) => {
    expect(() => parseDevice(device)).toThrow(message);
  });
});

it('the JSON Schema for editors is what the schemas say', () => {
  expect(JSON.parse(readFileSync(shippedPath('readback.schema.json'), 'utf8'))).toEqual(configJsonSchema());
});

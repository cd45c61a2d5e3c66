import { beforeEach, describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import type { Device, SendReport } from '../../gateway/domain/device.ts';
import type { DeviceReport, Reading } from '../../gateway/domain/reading.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { FakeLink } from '../support/fake-link.ts';
import { quiet, VirtualClock } from '../support/virtual-clock.ts';

const FIELDS = {
  hvac_mode: {
    write: { topic: 'ac/mode/set' },
    read: { topic: 'ac/state', path: 'mode' },
    read_now: { topic: 'ac/get', payload: { mode: '' } },
    options: ['off', 'cool', 'heat'],
  },
  target_temperature: {
    write: { topic: 'ac/set', payload: '{"temp": {{ value }}}', qos: 0 },
    read: { topic: 'ac/state', template: '{{ value_json.temp }}' },
    min: 16,
    max: 30,
    step: 0.5,
    max_by: { hvac_mode: { heat: 26 } },
    moving_when: '{{ value_json.busy }}',
  },
  fan_mode: { write: { topic: 'ac/fan/set' }, ack: { topic: 'ac/echo', path: 'fan' } },
};

let clock: VirtualClock;
let link: FakeLink;

beforeEach(() => {
  clock = new VirtualClock();
  link = new FakeLink(clock);
});

async function start(written: Record<string, unknown> = {}) {
  const config = parseDevice({ kind: 'climate', fields: FIELDS, verify: { deadline: '20s' }, ...written });
  const device = buildDevice('ac', config, { clock, mqtt: link });
  const reports: DeviceReport[] = [];
  device.subscribe((report) => reports.push(report));
  await device.start();
  const readings = () => reports.filter((report): report is Reading => report.type === 'reading');
  return { device, reports, readings };
}

function send(device: Device, wants: Record<string, Value>, signal = new AbortController().signal) {
  const reports: SendReport[] = [];
  const done = device.send(wants, (report) => reports.push(report), signal);
  return { reports, done };
}

describe('readings over MQTT', () => {
  it('are made of every message of a read topic', async () => {
    const { device, readings } = await start();
    await clock.pass(5);
    await link.say('ac/state', { mode: 'COOL', temp: '22.5', busy: true });
    expect(readings()).toMatchObject([
      {
        source: 'report',
        retained: false,
        at: { mono: 5 },
        beganAt: { mono: 5 },
        values: { hvac_mode: 'cool', target_temperature: 22.5 },
        moving: { target_temperature: true },
      },
    ]);
    expect(device.state()).toMatchObject({ heardAt: { mono: 5 }, online: null });
  });

  it('have no opinion on what a message lacks, and null where it says that there is nothing', async () => {
    const { readings } = await start();
    await link.say('ac/state', { temp: null });
    await link.say('ac/state', 'garbled {');
    await link.say('ac/state', '');
    expect(readings().map(({ values }) => values)).toEqual([{ target_temperature: null }, {}, {}]);
  });

  it('are history where the broker had kept them', async () => {
    link.keep('ac/state', { mode: 'heat' });
    const { device, readings } = await start();
    expect(device.state()).toMatchObject({ heardAt: null, values: { hvac_mode: { value: 'heat', live: false } } });
    await link.say('ac/state', { mode: 'cool' });
    await link.say('ac/state', { mode: 'heat' }, true);
    expect(device.state().values['hvac_mode']).toMatchObject({ value: 'cool', live: true });
    expect(readings().map(({ retained }) => retained)).toEqual([true, false, true]);
  });

  it('carry acknowledgements, which are no values', async () => {
    const { readings } = await start();
    await link.say('ac/echo', { fan: 'high' });
    expect(readings()).toMatchObject([{ values: {}, acks: { fan_mode: 'high' } }]);
  });

  it('are signs of life only where a message is too large to be looked into', async () => {
    const { device, readings } = await start();
    await clock.pass(1);
    await link.say('ac/state', { mode: 'cool', junk: 'x'.repeat(300_000) });
    expect(readings()).toMatchObject([{ values: {} }]);
    expect(device.state().heardAt).toEqual(clock.now());
  });

  it('end with the device', async () => {
    const { device, readings } = await start();
    await device.stop();
    await link.say('ac/state', { mode: 'cool' });
    expect(readings()).toEqual([]);
    expect(link.filters).toEqual([]);
  });
});

describe('commands over MQTT', () => {
  it('are published one by one in order, in the device’s words', async () => {
    const { device } = await start({ order: ['fan_mode', 'hvac_mode'] });
    const { reports, done } = send(device, { hvac_mode: 'cool', fan_mode: 'high' });
    await done;
    expect(link.published).toEqual([
      { topic: 'ac/fan/set', payload: 'high', qos: 1 },
      { topic: 'ac/mode/set', payload: 'cool', qos: 1 },
    ]);
    expect(reports).toEqual([
      { type: 'sent', fields: ['fan_mode'] },
      { type: 'accepted', fields: ['fan_mode'] },
      { type: 'sent', fields: ['hvac_mode'] },
      { type: 'accepted', fields: ['hvac_mode'] },
    ]);
  });

  it('print numbers with the decimals of the step, at the written QoS', async () => {
    const { device } = await start();
    await send(device, { target_temperature: 22 }).done;
    expect(link.published).toEqual([{ topic: 'ac/set', payload: '{"temp": 22.0}', qos: 0 }]);
  });

  it.each([
    [
      { type: 'lost', detail: 'x' },
      { type: 'lost', fields: ['hvac_mode'], detail: 'x' },
    ],
    [
      { type: 'refused', detail: 'x' },
      { type: 'refused', fields: ['hvac_mode'], reason: 'auth_failed', detail: 'x' },
    ],
  ] as const)('tell what became of them: %j', async (result, expected) => {
    link.onPublish = () => result;
    const { device } = await start();
    const { reports, done } = send(device, { hvac_mode: 'cool' });
    await done;
    expect(reports).toEqual([{ type: 'sent', fields: ['hvac_mode'] }, expected]);
  });

  it('have not been sent where there is no broker', async () => {
    const { device } = await start();
    link.connected = false;
    const { reports, done } = send(device, { hvac_mode: 'cool' });
    await done;
    expect(reports).toMatchObject([{ type: 'not_sent', fields: ['hvac_mode'], reason: 'delivery_failed' }]);
    expect(device.state().online).toBeNull();
  });

  it('have not been sent where the payload has nothing for the value', async () => {
    const payload = "{{ {'cool': 'C'}[value] | default('') }}";
    const { device } = await start({ fields: { hvac_mode: { write: { topic: 'a', payload } } } });
    const { reports, done } = send(device, { hvac_mode: 'heat' });
    await done;
    expect(reports).toMatchObject([{ type: 'not_sent', detail: expect.stringContaining('gives nothing') }]);
    expect(link.published).toEqual([]);
  });

  it('may be empty where that is written', async () => {
    const { device } = await start({ fields: { power: { write: { topic: 'a', payload: '' } } } });
    await send(device, { power: 'on' }).done;
    expect(link.published).toMatchObject([{ payload: '' }]);
  });

  it('have not been sent for a field that nothing writes', async () => {
    const { device } = await start({ fields: { ...FIELDS, room: { read: { topic: 'ac/state', path: 'room' } } } });
    const { reports, done } = send(device, { room: 3 });
    await done;
    expect(reports).toMatchObject([{ type: 'not_sent', fields: ['room'], reason: 'read_only' }]);
  });

  it('begin no further message once they are called off', async () => {
    const stop = new AbortController();
    link.onPublish = () => {
      stop.abort();
      return { type: 'acknowledged' };
    };
    const { device } = await start();
    const { reports, done } = send(device, { hvac_mode: 'cool', fan_mode: 'high' }, stop.signal);
    await done;
    expect(link.published).toHaveLength(1);
    expect(reports.map(({ type }) => type)).toEqual(['sent', 'accepted']);
  });
});

describe('a field whose limits depend on another of the same command', () => {
  const topics = () => link.published.map(({ topic }) => topic);

  it('waits until the device has reported the other', async () => {
    const { device } = await start();
    const { done } = send(device, { target_temperature: 25, hvac_mode: 'heat' });
    await clock.pass(1000);
    await link.say('ac/state', { mode: 'cool', temp: 25 });
    await link.say('ac/state', { mode: 'heat' }, true);
    expect(topics()).toEqual(['ac/mode/set']);
    await link.say('ac/state', { mode: 'heat' });
    await done;
    expect(topics()).toEqual(['ac/mode/set', 'ac/set']);
    expect(clock.now().mono).toBe(1000);
  });

  it('waits for a quarter of the deadline at most', async () => {
    const { device } = await start();
    const { done } = send(device, { target_temperature: 25, hvac_mode: 'heat' });
    await clock.pass(4999);
    expect(topics()).toEqual(['ac/mode/set']);
    await clock.pass(1);
    await done;
    expect(topics()).toEqual(['ac/mode/set', 'ac/set']);
  });

  it('does not wait for what is in force already, cannot be read back or was not sent', async () => {
    const { device } = await start();
    await link.say('ac/state', { mode: 'heat' });
    await send(device, { target_temperature: 25, hvac_mode: 'heat' }).done;
    const blind = { ...FIELDS, hvac_mode: { ...FIELDS.hvac_mode, read: undefined, read_now: undefined } };
    await send((await start({ fields: blind })).device, { target_temperature: 25, hvac_mode: 'heat' }).done;
    link.onPublish = () => ({ type: 'refused', detail: 'x' });
    await send(device, { target_temperature: 25, hvac_mode: 'cool' }).done;
    expect(topics()).toHaveLength(6);
  });

  it('is not sent when the command is called off meanwhile', async () => {
    const stop = new AbortController();
    const { device } = await start();
    const { done } = send(device, { target_temperature: 25, hvac_mode: 'heat' }, stop.signal);
    await clock.pass(100);
    stop.abort();
    await done;
    expect(topics()).toEqual(['ac/mode/set']);
  });

  it('waits by applies_when too', async () => {
    const target = { ...FIELDS.target_temperature, max_by: undefined, applies_when: "{{ hvac_mode == 'cool' }}" };
    const { device } = await start({ fields: { ...FIELDS, target_temperature: target } });
    void send(device, { target_temperature: 25, hvac_mode: 'cool' });
    await quiet();
    expect(topics()).toEqual(['ac/mode/set']);
  });
});

describe('a question by message', () => {
  it('is answered by the next message that speaks of the field', async () => {
    const { device, readings } = await start();
    await clock.pass(10);
    const asked = device.read(['hvac_mode', 'target_temperature']);
    await clock.pass(500);
    expect(link.published).toEqual([{ topic: 'ac/get', payload: '{"mode":""}', qos: 1 }]);
    await link.say('ac/state', { temp: 20 });
    await link.say('ac/state', { mode: 'heat' }, true);
    await link.say('ac/state', { mode: 'cool' });
    await link.say('ac/state', { mode: 'cool' });
    expect(await asked).toEqual({ answered: true });
    expect(readings().map(({ source, beganAt }) => [source, beganAt.mono])).toEqual([
      ['report', 510],
      ['report', 510],
      ['read', 10],
      ['report', 510],
    ]);
  });

  it('is not answered by silence, nor without a broker', async () => {
    const { device } = await start();
    const asked = device.read(['hvac_mode']);
    await clock.pass(5000);
    expect(await asked).toMatchObject({ answered: false });
    link.connected = false;
    expect(await device.read(['hvac_mode'])).toMatchObject({
      answered: false,
      detail: expect.stringContaining('no conn'),
    });
    expect(await device.read(['target_temperature'])).toMatchObject({ answered: false });
  });

  it('asked before a command is no question any more', async () => {
    const { device, readings } = await start();
    const asked = device.read(['hvac_mode']);
    await clock.pass(10);
    await send(device, { fan_mode: 'low' }).done;
    await link.say('ac/state', { mode: 'cool' });
    expect(readings()).toMatchObject([{ source: 'report', beganAt: { mono: 10 } }]);
    expect(await asked).toEqual({ answered: true });
  });
});

describe('availability', () => {
  const a = { topic: 'a' };
  const b = { topic: 'b', payload_available: 'up', payload_not_available: 'down' };
  const words = (reports: readonly DeviceReport[]) =>
    reports.flatMap((report) => (report.type === 'availability' ? [[report.online, report.retained]] : []));

  it.each<[string, [string, string, boolean?][], [boolean, boolean][]]>([
    [
      'latest',
      [
        ['a', 'online'],
        ['b', 'down'],
        ['a', 'online'],
        ['b', 'x'],
      ],
      [
        [true, false],
        [false, false],
        [true, false],
      ],
    ],
    [
      'all',
      [
        ['a', 'online'],
        ['b', 'up'],
        ['a', 'offline'],
        ['b', 'up'],
      ],
      [
        [true, false],
        [false, false],
        [false, false],
      ],
    ],
    [
      'all',
      [
        ['a', 'online', true],
        ['b', 'up'],
      ],
      [[true, true]],
    ],
    [
      'all',
      [
        ['a', 'offline', true],
        ['b', 'up'],
      ],
      [
        [false, true],
        [false, true],
      ],
    ],
    [
      'any',
      [
        ['a', 'offline'],
        ['b', 'down'],
        ['b', 'up'],
        ['a', 'offline'],
      ],
      [
        [false, false],
        [true, false],
        [true, false],
      ],
    ],
    [
      'any',
      [
        ['a', 'online', true],
        ['b', 'up'],
      ],
      [
        [true, true],
        [true, false],
      ],
    ],
    // Whoever turns the whole has news, although it takes old words to make it whole.
    [
      'all',
      [
        ['a', 'online', true],
        ['b', 'up', true],
        ['b', 'down'],
        ['b', 'up'],
        ['b', 'up'],
      ],
      [
        [true, true],
        [false, false],
        [true, false],
        [true, true],
      ],
    ],
    [
      'any',
      [
        ['a', 'offline', true],
        ['b', 'up', true],
        ['b', 'down'],
      ],
      [
        [true, true],
        [false, false],
      ],
    ],
  ])('in mode %s after %j is %j', async (mode, said, expected) => {
    const { reports } = await start({ availability: { mode, list: [a, b] } });
    for (const [topic, payload, retained] of said) await link.say(topic, payload, retained);
    expect(words(reports)).toEqual(expected);
  });

  it('reads words through a template, and forgives capitals', async () => {
    const { device, reports } = await start({ availability: { topic: 'a', value_template: '{{ value_json.state }}' } });
    expect(device.state().online).toBeNull();
    await link.say('a', { state: 'Offline' });
    await link.say('a', { state: 'ONLINE' });
    await link.say('a', 'online');
    expect(words(reports)).toEqual([
      [false, false],
      [true, false],
    ]);
    expect(device.state().online).toBe(true);
  });

  it('is outlived by what the device says itself', async () => {
    link.keep('a', 'offline');
    const { device } = await start({ availability: a });
    expect(device.state()).toMatchObject({ online: false, heardAt: null });
    await clock.pass(5);
    await link.say('ac/state', { mode: 'cool' });
    const { heardAt, onlineAt } = device.state();
    expect(heardAt?.mono).toBeGreaterThan(onlineAt?.mono ?? Number.NaN);
  });
});

describe('error messages of a bridge', () => {
  const match = '{{ value_json.level == "error" and "to \'ac\'" in value_json.message }}';

  it('are delivery reports, with their reason', async () => {
    const { reports } = await start({
      errors: [
        { topic: 'log', match },
        { topic: 'log', match: '{{ value == "no" }}', reason: 'device_error' },
      ],
    });
    await link.say('log', { level: 'error', message: "to 'ac' failed" }, true);
    await link.say('log', { level: 'info', message: "to 'ac' failed" });
    await link.say('log', 'no text in it');
    await link.say('log', { level: 'error', message: "to 'ac' failed" });
    await link.say('log', 'no');
    expect(reports).toMatchObject([
      { type: 'delivery', reason: 'delivery_failed', detail: "to 'ac' failed" },
      { type: 'delivery', reason: 'device_error', detail: 'no' },
    ]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import { buildRegistry } from '../../gateway/devices/registry.ts';
import type { Device, SendReport } from '../../gateway/domain/device.ts';
import type { DeviceReport, Reading } from '../../gateway/domain/reading.ts';
import type { Clock } from '../../gateway/domain/time.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { deviceConfig } from '../support/http-device.ts';
import { deadBase, ScriptedHttp } from '../support/scripted-http.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const REQUESTS = {
  status: { get: '/status', reject: '{{ value_json.error is defined }}' },
  apply: {
    post: '/control',
    json: { power: '{{ want.power }}', temperature: '{{ want.target_temperature }}' },
    reject: '{{ value_json.error is defined }}',
  },
};
const FIELDS = {
  power: { write: 'apply', read: { request: 'status', path: 'power' }, map: { ON: 'on', OFF: 'off' } },
  hvac_mode: { read: { request: 'status', path: 'mode' }, options: ['cool', 'fan_only'] },
  target_temperature: {
    write: 'apply',
    read: { request: 'status', template: '{{ value_json.set }}' },
    step: 0.5,
    applies_when: { hvac_mode: 'cool' },
    moving_when: '{{ value_json.ramp }}',
  },
};

describe('an HTTP device', () => {
  let server: ScriptedHttp;
  const devices: Device[] = [];

  beforeEach(async () => {
    server = await new ScriptedHttp().start();
  });
  afterEach(async () => {
    for (const device of devices.splice(0)) await device.stop();
    await server.stop();
  });

  function build(written: Record<string, unknown> = {}, clock: Clock = systemClock()) {
    const { http, ...rest } = written;
    const config = deviceConfig({
      http: { base: server.base, timeout: '2s', ...(http as object) },
      requests: REQUESTS,
      fields: FIELDS,
      ...rest,
    });
    const device = buildDevice('ac', config, { clock });
    devices.push(device);
    const reports: DeviceReport[] = [];
    device.subscribe((report) => reports.push(report));
    const readings = () => reports.filter((report): report is Reading => report.type === 'reading');
    return { device, reports, readings };
  }

  async function send(device: Device, wants: Record<string, Value>): Promise<SendReport[]> {
    const reports: SendReport[] = [];
    await device.send(wants, (report) => reports.push(report), new AbortController().signal);
    return reports;
  }

  describe('reading', () => {
    it('reports every field of one answer, in our words', async () => {
      server.answer('GET /status', { power: 'On', mode: 'cool', set: '22.5', ramp: true });
      const { device, readings } = build();
      expect(await device.read(['power', 'target_temperature'])).toEqual({ answered: true });
      expect(server.seen).toHaveLength(1);
      expect(readings()).toMatchObject([
        {
          source: 'read',
          retained: false,
          values: { power: 'on', hvac_mode: 'cool', target_temperature: 22.5 },
          moving: { target_temperature: true },
          excluded: [],
        },
      ]);
      const [reading] = readings();
      expect(reading?.beganAt.mono).toBeLessThan(reading?.at.mono ?? 0);
      expect(device.state()).toMatchObject({
        online: null,
        values: { power: { value: 'on', live: true } },
        heardAt: reading?.at,
      });
    });

    it('has no opinion on what is missing, and none on what a mode excludes', async () => {
      server.answer('GET /status', { power: null, mode: 'fan_only' });
      const { device, readings } = build();
      await device.read(['power']);
      expect(readings()).toMatchObject([
        { values: { power: null, hvac_mode: 'fan_only' }, moving: {}, excluded: ['target_temperature'] },
      ]);
      expect(readings()[0]?.values).not.toHaveProperty('target_temperature');
    });

    it('reads key=value answers', async () => {
      server.answer('GET /info', 'ret=OK,pow=1,stemp=--');
      const { device, readings } = build({
        requests: { info: { get: '/info', decode: 'kv', reject: "{{ 'ret=OK' not in value }}" } },
        fields: {
          power: { read: { request: 'info', path: 'pow' }, map: { 0: 'off', 1: 'on' } },
          target_temperature: { read: { request: 'info', path: 'stemp' } },
        },
      });
      await device.read(['power']);
      expect(readings()).toMatchObject([{ values: { power: 'on', target_temperature: null } }]);
    });

    it.each<[string, unknown, number]>([
      ['garbled', '{"power": ', 200],
      ['an error page', '<html>busy</html>', 200],
      ['a refusal inside a 200', { error: 'busy', power: 'ON' }, 200],
      ['an error status', { power: 'ON' }, 503],
      ['a redirect', { power: 'ON' }, 302],
    ])('takes %s for a sign of life that says nothing', async (_name, body, status) => {
      server.answer('GET /status', body, status);
      const { device, readings } = build();
      expect(await device.read(['power'])).toEqual({ answered: true });
      expect(readings()).toMatchObject([{ values: {}, moving: {}, excluded: [] }]);
      expect(device.state().heardAt).not.toBeNull();
    });

    it.each<[string, string]>([
      ['too large', 'x'.repeat(1024 * 1024 + 1)],
      ['refused', ''],
    ])('has no answer where it is %s', async (name, body) => {
      server.answer('GET /status', body);
      const { device, reports } = build(name === 'refused' ? { http: { base: await deadBase() } } : {});
      expect(await device.read(['power'])).toMatchObject({ answered: false, detail: expect.stringMatching(/./) });
      expect(reports).toEqual([]);
      expect(device.state().heardAt).toBeNull();
    });

    it('cannot ask for a field that is not read', async () => {
      const { device } = build({ fields: { power: { write: 'apply' } } });
      expect(await device.read(['power'])).toMatchObject({ answered: false });
      expect(server.seen).toEqual([]);
    });

    it('shares a request that is under way', async () => {
      server.answer('GET /status', { power: 'ON' });
      const { device, readings } = build();
      await Promise.all([device.read(['power']), device.read(['hvac_mode']), device.read(['target_temperature'])]);
      expect(server.seen).toHaveLength(1);
      expect(readings()).toHaveLength(1);
      await device.read(['power']);
      expect(server.seen).toHaveLength(2);
    });

    it('shares no request that is not made because the device seems to be gone, where a command depends on it', async () => {
      server.on('GET /status', (_seen, response) => void response.destroy());
      const { device } = build();
      for (let attempt = 1; attempt <= 3; attempt += 1) await device.read(['power']);
      server.answer('GET /status', { power: 'ON' });
      const [background, urgent] = await Promise.all([device.read(['power'], false), device.read(['power'], true)]);
      expect(background).toMatchObject({ answered: false, detail: expect.stringContaining('not asked') });
      expect(urgent).toEqual({ answered: true });
      expect(server.seen).toHaveLength(4);
    });

    it('asks anew after a send, even where an older question is still open', async () => {
      const held: (() => void)[] = [];
      server.answer('POST /control', {});
      server.on('GET /status', async (_seen, response) => {
        const body = JSON.stringify({ power: held.length === 0 ? 'OFF' : 'ON' });
        if (held.length === 0) await new Promise<void>((resolve) => held.push(resolve));
        response.end(body);
      });
      const { device, readings } = build();
      const early = device.read(['power']);
      await server.arrived(1);
      await send(device, { power: 'on' });
      await device.read(['power']);
      held[0]?.();
      await early;
      expect(server.seen.map((seen) => seen.path)).toEqual(['/status', '/control', '/status']);
      const [later, earlier] = readings();
      expect(later?.values).toMatchObject({ power: 'on' });
      expect(earlier?.values).toMatchObject({ power: 'off' });
      expect(earlier?.beganAt.mono).toBeLessThan(later?.beganAt.mono ?? 0);
    });

    it('asks by read_now where there is one', async () => {
      server.answer('GET /fresh', { power: 'ON' });
      const { device, readings } = build({
        requests: { ...REQUESTS, fresh: { get: '/fresh' } },
        fields: { power: { ...FIELDS.power, read_now: 'fresh' } },
      });
      await device.read(['power']);
      expect(server.seen.map((seen) => seen.path)).toEqual(['/fresh']);
      expect(readings()).toMatchObject([{ values: { power: 'on' } }]);
    });
  });

  describe('availability', () => {
    it('follows the answers to its request', async () => {
      const { device, reports } = build({ availability: { request: 'status' } });
      const words = () => reports.flatMap((report) => (report.type === 'availability' ? [report.online] : []));
      server.answer('GET /status', {});
      expect(device.state().online).toBeNull();
      await device.read(['power']);
      expect(device.state().online).toBe(true);
      server.on('GET /status', (_seen, response) => void response.socket?.destroy());
      await device.read(['power']);
      await device.read(['power']);
      expect(device.state().online).toBe(false);
      server.answer('GET /status', 'busy', 503);
      await device.read(['power']);
      expect(words()).toEqual([true, false, true]);
    });
  });

  describe('sending', () => {
    it('sends fields that share a request together, and only those commanded', async () => {
      server.answer('POST /control', {});
      const { device } = build();
      expect(await send(device, { target_temperature: 22, power: 'on' })).toEqual([
        { type: 'sent', fields: ['power', 'target_temperature'] },
        { type: 'accepted', fields: ['power', 'target_temperature'] },
      ]);
      await send(device, { target_temperature: 23.5 });
      expect(server.seen.map((seen) => JSON.parse(seen.body))).toEqual([
        { power: 'ON', temperature: 22 },
        { temperature: 23.5 },
      ]);
    });

    it('sends several requests in the order of the device, each with all that is wanted', async () => {
      for (const path of ['/a', '/b']) server.answer(`POST ${path}`, 'ok');
      const { device } = build({
        requests: {
          a: { post: '/a', body: 'a={{ value }}' },
          b: { post: '/b', json: { b: '{{ want.b }}', a: '{{ want.a }}' } },
        },
        fields: { a: { write: 'a' }, b: { write: 'b' } },
        order: ['b', 'a'],
      });
      expect(await send(device, { a: 'x', b: 'y' })).toEqual([
        { type: 'sent', fields: ['b'] },
        { type: 'accepted', fields: ['b'] },
        { type: 'sent', fields: ['a'] },
        { type: 'accepted', fields: ['a'] },
      ]);
      expect(server.seen.map((seen) => seen.body)).toEqual(['{"b":"y","a":"x"}', 'a=x']);
    });

    it.each([
      [404, 'not_found'],
      [401, 'auth_failed'],
      [403, 'auth_failed'],
      [429, 'auth_throttled'],
      [400, 'device_error'],
      [500, 'device_error'],
      [302, 'device_error'],
    ])('status %i is refused as %s', async (status, reason) => {
      server.answer('POST /control', 'no\nway', status);
      const { device } = build();
      expect(await send(device, { power: 'on' })).toEqual([
        { type: 'sent', fields: ['power'] },
        { type: 'refused', fields: ['power'], reason, detail: `HTTP ${status} no way` },
      ]);
    });

    it('a true reject inside a 200 is a refusal, with the first words of the device', async () => {
      server.answer('POST /control', { error: 'x'.repeat(500) });
      const { device } = build();
      const [, refused] = await send(device, { power: 'on' });
      expect(refused).toMatchObject({ type: 'refused', reason: 'device_error' });
      expect(refused).toHaveProperty('detail', `HTTP 200 {"error":"${'x'.repeat(190)}`);
    });

    it('a garbled answer to a command is still an answer', async () => {
      server.answer('POST /control', 'OK');
      const { device } = build();
      expect((await send(device, { power: 'on' })).at(-1)).toEqual({ type: 'accepted', fields: ['power'] });
    });

    it('an answer that never comes is lost', async () => {
      server.on('POST /control', (_seen, response) => void response.socket?.destroy());
      const { device } = build();
      expect(await send(device, { power: 'on' })).toMatchObject([{ type: 'sent' }, { type: 'lost' }]);
      expect(server.seen).toHaveLength(1);
    });

    it('a refused connection counts as attempted', async () => {
      const { device } = build({ http: { base: await deadBase() } });
      expect(await send(device, { power: 'on' })).toMatchObject([
        { type: 'sent' },
        { type: 'lost', detail: expect.stringContaining('ECONNREFUSED') },
      ]);
    });

    it('a template that fails sends nothing', async () => {
      const { device } = build({
        requests: { ...REQUESTS, apply: { post: '/control', json: { x: '{{ want.power.a.b }}' } } },
      });
      expect(await send(device, { power: 'on' })).toMatchObject([
        { type: 'not_sent', reason: 'device_error', detail: expect.stringContaining('requests.apply.json.x') },
      ]);
      expect(server.seen).toEqual([]);
    });

    it('a field that nothing writes is not sent', async () => {
      const { device } = build();
      expect(await send(device, { hvac_mode: 'cool' })).toMatchObject([{ type: 'not_sent', reason: 'read_only' }]);
    });

    it('a stopped device sends nothing', async () => {
      const { device } = build();
      await device.stop();
      expect(await send(device, { power: 'on' })).toMatchObject([{ type: 'not_sent', reason: 'delivery_failed' }]);
      expect(server.seen).toEqual([]);
    });

    it('begins no further request once it is called off, and says nothing of it', async () => {
      const call = new AbortController();
      server.on('POST /a', (_seen, response) => {
        call.abort();
        response.end('ok');
      });
      const { device } = build({
        requests: { a: { post: '/a' }, b: { post: '/b' } },
        fields: { a: { write: 'a' }, b: { write: 'b' } },
      });
      const reports: SendReport[] = [];
      await device.send({ a: 'x', b: 'y' }, (report) => reports.push(report), call.signal);
      expect(reports).toEqual([
        { type: 'sent', fields: ['a'] },
        { type: 'accepted', fields: ['a'] },
      ]);
      expect(server.seen.map((seen) => seen.path)).toEqual(['/a']);
    });

    it('reports what the answer acknowledges', async () => {
      server.answer('POST /control', { got: 'ON' });
      const { device, readings } = build({
        fields: { power: { ...FIELDS.power, ack: { request: 'apply', path: 'got' } } },
      });
      await send(device, { power: 'on' });
      expect(readings()).toMatchObject([{ values: {}, acks: { power: 'on' } }]);
    });

    it('with parallel 1 a read waits for the answer to the command', async () => {
      let busy = false;
      const overlap: boolean[] = [];
      for (const request of ['GET /status', 'POST /control']) {
        server.on(request, async (_seen, response) => {
          overlap.push(busy);
          busy = true;
          await new Promise((resolve) => setTimeout(resolve, 20));
          busy = false;
          response.end('{}');
        });
      }
      const { device } = build({ http: { parallel: 1 } });
      await Promise.all([send(device, { power: 'on' }), device.read(['power']), device.read(['power'])]);
      expect(overlap).toEqual([false, false]);
    });
  });

  describe('read-modify-write', () => {
    const daikin = {
      requests: {
        info: { get: '/info', decode: 'kv', reject: "{{ 'ret=OK' not in value }}" },
        set: {
          get: '/set',
          query: {
            pow: '{{ state.pow }}',
            mode: '{{ state.mode }}',
            stemp: '{{ want.target_temperature }}',
            shum: '0',
          },
          decode: 'kv',
          reject: "{{ 'ret=OK' not in value }}",
          before: 'info',
        },
      },
      fields: { target_temperature: { write: 'set', read: { request: 'info', path: 'stemp' }, step: 0.5 } },
    };

    it('writes what it read together with what is wanted', async () => {
      server.answer('GET /info', 'ret=OK,pow=1,mode=3,stemp=21.0').answer('GET /set', 'ret=OK,adv=');
      const { device, readings } = build(daikin);
      expect(await send(device, { target_temperature: 22 })).toEqual([
        { type: 'sent', fields: ['target_temperature'] },
        { type: 'accepted', fields: ['target_temperature'] },
      ]);
      expect(server.seen[1]?.query.toString()).toBe('pow=1&mode=3&stemp=22.0&shum=0');
      expect(readings()).toMatchObject([{ values: { target_temperature: 21 } }]);
    });

    it('is refused by an error inside a 200', async () => {
      server.answer('GET /info', 'ret=OK,pow=1,mode=3').answer('GET /set', 'ret=PARAM NG');
      const { device } = build(daikin);
      expect((await send(device, { target_temperature: 22 })).at(-1)).toMatchObject({
        type: 'refused',
        reason: 'device_error',
        detail: 'HTTP 200 ret=PARAM NG',
      });
    });

    it.each<[string, string, unknown, number]>([
      ['a refusal', 'device_error', 'ret=NG', 200],
      ['an error', 'device_error', 'ret=OK', 500],
      ['garbage', 'device_error', '?', 200],
      ['silence', 'delivery_failed', undefined, 200],
    ])('writes nothing after %s', async (_name, reason, body, status) => {
      if (body === undefined) server.on('GET /info', (_seen, response) => void response.socket?.destroy());
      else server.answer('GET /info', body, status);
      const { device } = build(daikin);
      expect(await send(device, { target_temperature: 22 })).toMatchObject([
        { type: 'not_sent', fields: ['target_temperature'], reason },
      ]);
      expect(server.seen.map((seen) => seen.path)).toEqual(['/info']);
    });
  });

  it('reads in the background where a period is given', async () => {
    server.answer('GET /status', { power: 'ON' });
    const clock = new VirtualClock();
    const fields = { ...FIELDS, power: { ...FIELDS.power, read: { ...FIELDS.power.read, period: '10s' } } };
    const { device, reports } = build({ fields }, clock);
    const next = () =>
      new Promise<void>((resolve) => {
        const end = device.subscribe(() => {
          end();
          resolve();
        });
      });
    await device.start();
    for (const ms of [0, 10_000, 10_000]) {
      const read = next();
      await clock.pass(ms);
      await read;
    }
    expect(reports).toHaveLength(3);
    await device.stop();
    await clock.pass(60_000);
    expect(server.seen).toHaveLength(3);
  });

  it('recalls values from before, but lets the device speak', async () => {
    server.answer('GET /status', { power: 'ON' });
    const { device, reports } = build();
    device.recall({ power: 'off', hvac_mode: 'cool' });
    expect(device.state().values).toMatchObject({ power: { value: 'off', live: false } });
    expect(reports).toEqual([]);
    await device.read(['power']);
    device.recall({ power: 'off' });
    expect(device.state().values).toMatchObject({
      power: { value: 'on', live: true },
      hvac_mode: { value: 'cool', live: false },
    });
  });
});

describe('building', () => {
  const http = { base: 'http://192.0.2.1' };
  const base = { http, requests: REQUESTS, fields: FIELDS };
  const problem = (written: Record<string, unknown>) => {
    try {
      buildDevice('ac', deviceConfig({ ...base, ...written }), { clock: systemClock() });
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each<[string, Record<string, unknown>]>([
    ['devices.ac', { fields: { power: { write: { topic: 'x' } } } }],
    ['devices.ac', { availability: { topic: 'x' } }],
    ['devices.ac', { http: undefined }],
    ['devices.ac.fields.power.read_now', { fields: { power: { ...FIELDS.power, read_now: { topic: 'x' } } } }],
    ['devices.ac.fields.power.ack', { fields: { power: { write: { topic: 'x' }, ack: { request: 'apply' } } } }],
    ['devices.ac.fields.power.write', { fields: { power: { write: 'nonesuch' } } }],
    ['devices.ac.requests.a.before', { requests: { ...REQUESTS, a: { get: '/', before: 'nonesuch' } } }],
    ['devices.ac.fields.power.read.template', { fields: { power: { read: { request: 'status', template: '{{' } } } }],
    ['devices.ac.fields.power.moving_when', { fields: { power: { ...FIELDS.power, moving_when: '{{ a ' } } }],
  ])('names %s', (key, written) => {
    expect(problem(written)).toMatchObject({
      name: 'StartError',
      exitCode: 2,
      message: expect.stringContaining(`${key}:`),
    });
  });

  it('makes a registry of all devices', async () => {
    const config = deviceConfig(base);
    const registry = buildRegistry({ devices: { a: config, b: config } }, { clock: systemClock() });
    await registry.start();
    expect(registry.list().map((device) => device.spec.id)).toEqual(['a', 'b']);
    expect(registry.get('b')?.spec.id).toBe('b');
    expect(registry.get('c')).toBeUndefined();
    await registry.stop();
  });
});

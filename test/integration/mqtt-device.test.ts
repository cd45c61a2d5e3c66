import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { parseDevice } from '../../gateway/config/load.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import type { Device, SendReport } from '../../gateway/domain/device.ts';
import type { DeviceReport, DeviceState } from '../../gateway/domain/reading.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { createMqttLink } from '../../gateway/transports/mqtt-broker-link.ts';
import type { MqttLink } from '../../gateway/transports/mqtt-link.ts';
import { embeddedBroker, type TestBroker } from '../support/brokers.ts';
import { quietLog } from '../support/logs.ts';
import { MqttPeer } from '../support/mqtt-peer.ts';
import { ScriptedHttp } from '../support/scripted-http.ts';

const clock = systemClock();

describe('a device on a real broker', () => {
  let broker: TestBroker;
  let link: MqttLink;
  let peer: MqttPeer;
  const undo: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    broker = await embeddedBroker();
    undo.push(() => broker.cleanUp());
    await broker.start();
    link = createMqttLink({
      address: { host: '127.0.0.1', port: broker.port },
      statusTopic: 'readback/status',
      clock,
      log: quietLog,
      timing: { firstPauseMs: 20, longestPauseMs: 100 },
    });
    undo.push(() => link.stop());
    await link.start();
    peer = await MqttPeer.connect(broker.port);
    undo.push(() => peer.end());
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function start(written: Record<string, unknown>): Promise<Device> {
    const device = buildDevice('it', parseDevice(written, 'it'), { clock, mqtt: link });
    undo.push(() => device.stop());
    await device.start();
    return device;
  }

  const send = async (device: Device, wants: Record<string, Value>) => {
    const reports: SendReport[] = [];
    await device.send(wants, (report) => reports.push(report), new AbortController().signal);
    return reports.map(({ type }) => type);
  };

  /** Resolves with the first report that fits, from now on. */
  const report = (device: Device, fits: (report: DeviceReport) => boolean) =>
    new Promise<DeviceReport>((resolve) => {
      const end = device.subscribe((each) => {
        if (!fits(each)) return;
        end();
        resolve(each);
      });
    });

  const value = (state: DeviceState, field: string) => state.values[field]?.value;

  const SWITCH = {
    kind: 'switch',
    fields: {
      power: {
        write: { topic: 'relay/set' },
        read: { topic: 'relay/state' },
        read_now: { topic: 'relay/get', payload: { state: '' } },
        map: { ON: 'on', OFF: 'off' },
      },
    },
    availability: { topic: 'relay/lwt' },
  };

  it('knows what the broker has kept once it has started, as history', async () => {
    await peer.say('relay/state', 'ON', { retain: true });
    await peer.say('relay/lwt', 'online', { retain: true });
    const device = await start(SWITCH);
    if (device.state().online === null) await report(device, ({ type }) => type === 'availability');
    expect(device.state()).toMatchObject({ online: true, heardAt: null, values: { power: { live: false } } });
  });

  it('is told by an acknowledged message, and heard when it answers', async () => {
    const device = await start(SWITCH);
    await peer.hear('relay/set', 'relay/get');
    expect(await send(device, { power: 'on' })).toEqual(['sent', 'accepted']);
    await peer.inbox.text('ON');
    expect(peer.inbox.heard).toEqual([{ topic: 'relay/set', text: 'ON', retained: false }]);
    const answer = report(device, ({ type }) => type === 'reading');
    const asked = device.read(['power']);
    await peer.inbox.text('{"state":""}');
    await peer.say('relay/state', 'ON');
    expect(await asked).toEqual({ answered: true });
    expect(await answer).toMatchObject({ source: 'read', values: { power: 'on' }, retained: false });
  });

  it('keeps what it knows while the broker is away, sends nothing then, and hears again afterwards', async () => {
    const device = await start(SWITCH);
    const first = report(device, ({ type }) => type === 'reading');
    await peer.say('relay/state', 'ON');
    await first;
    const gone = new Promise<void>((resolve) => link.onConnection((connected) => !connected && resolve()));
    await broker.stop();
    await gone;
    expect(value(device.state(), 'power')).toBe('on');
    expect(device.state().online).toBeNull();
    expect(await send(device, { power: 'off' })).toEqual(['not_sent']);
    const back = new Promise<void>((resolve) => link.onConnection((connected) => connected && resolve()));
    await broker.start();
    await back;
    await link.subscribed();
    const later = report(device, (each) => each.type === 'reading' && each.values['power'] === 'off');
    const other = await MqttPeer.connect(broker.port);
    undo.push(() => other.end());
    await other.say('relay/state', 'OFF');
    await later;
    expect(value(device.state(), 'power')).toBe('off');
  });

  it('may be commanded over HTTP and heard over MQTT', async () => {
    const http = await new ScriptedHttp().start();
    undo.push(() => http.stop());
    http.answer('POST /power', {});
    const device = await start({
      kind: 'switch',
      http: { base: http.base },
      requests: { turn: { post: '/power', json: { on: '{{ want.power }}' } } },
      fields: { power: { write: 'turn', read: { topic: 'lamp/state' }, map: { ON: 'on', OFF: 'off' } } },
    });
    expect(device.spec.fields['power']?.readback).toMatchObject({ readable: true, push: true, askable: false });
    const heard = report(device, ({ type }) => type === 'reading');
    expect(await send(device, { power: 'on' })).toEqual(['sent', 'accepted']);
    expect(http.seen.map(({ body }) => JSON.parse(body))).toEqual([{ on: 'ON' }]);
    await peer.say('lamp/state', 'ON');
    expect(await heard).toMatchObject({ source: 'report', values: { power: 'on' } });
  });

  it('may be written over both ways by one command, in one order', async () => {
    const http = await new ScriptedHttp().start();
    undo.push(() => http.stop());
    http.answer('POST /mode', {});
    await peer.hear('ac/temp/set');
    const device = await start({
      kind: 'climate',
      http: { base: http.base },
      requests: { mode: { post: '/mode', json: { m: '{{ want.hvac_mode }}' } } },
      fields: {
        target_temperature: { write: { topic: 'ac/temp/set' }, min: 16, max: 30, step: 1 },
        hvac_mode: { write: 'mode', options: ['cool', 'heat'] },
      },
      order: ['hvac_mode', 'target_temperature'],
    });
    const reports: [string, readonly string[]][] = [];
    const signal = new AbortController().signal;
    await device.send(
      { target_temperature: 21, hvac_mode: 'cool' },
      ({ type, fields }) => reports.push([type, fields]),
      signal,
    );
    expect(reports).toEqual([
      ['sent', ['hvac_mode']],
      ['accepted', ['hvac_mode']],
      ['sent', ['target_temperature']],
      ['accepted', ['target_temperature']],
    ]);
    await peer.inbox.text('21');
  });
});

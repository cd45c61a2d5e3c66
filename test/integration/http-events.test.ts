import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import type { Device } from '../../gateway/domain/device.ts';
import type { DeviceReport, Reading } from '../../gateway/domain/reading.ts';
import { DeviceHome, ending, until } from '../support/device-home.ts';
import { EventFan, warmUp } from '../support/event-fan.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** The deadline is far off: only silence up to half of it would be a reason to ask. */
const VERIFY = { poll: ['100ms'], echo: '0s', settle: '50ms', deadline: '20s' };

const isPushed = (device: Device) => device.state().push['power'] === true;
const isAskedFor = (device: Device) => device.state().push['power'] === false;

describe('an HTTP device that pushes', () => {
  let fan: EventFan;
  let home: DeviceHome;
  let device: Device;
  const reports: DeviceReport[] = [];

  beforeEach(async () => {
    fan = await new EventFan().start();
    reports.length = 0;
  });
  afterEach(async () => {
    await home.stop();
    await fan.stop();
  });

  async function open(written: Record<string, unknown> = {}, base = fan.http.base): Promise<void> {
    const profile = { use: 'esphome/fan', with: { base, entity: 'Porch Fan', speed_step: 25 } };
    warmUp(profile, { id: 'fan/Porch Fan' });
    home = new DeviceHome({ fan: { ...profile, verify: VERIFY, ...written } });
    device = home.device('fan');
    device.subscribe((report) => reports.push(report));
    await home.start();
  }

  const readings = () => reports.filter((report): report is Reading => report.type === 'reading');

  it('is verified by what it says of its own accord, with no read at all', async () => {
    await open();
    await until(device, isPushed);
    const task = await home.submit('fan', { power: 'on' });
    await fan.http.arrived(2);
    fan.act('ON');
    const settled = await home.settled(task);
    expect(ending(settled)).toBe('verified');
    expect(settled).toMatchObject({ reads: 0, fields: [{ before: 'off', runs: [{ value: 'on', source: 'report' }] }] });
    expect(fan.reads).toBe(0);
  });

  it('shows its stream the login that its requests have', async () => {
    await open({ requests: { live: { headers: { authorization: 'Bearer porch' } } } });
    await until(device, isPushed);
    expect(fan.http.seen[0]).toMatchObject({
      path: '/events',
      headers: { authorization: 'Bearer porch', accept: 'text/event-stream' },
    });
  });

  it('takes what it hears first for the answer to its opening, and the rest for reports', async () => {
    await open();
    await until(device, isPushed);
    fan.act('ON', 3);
    await until(device, ({ state }) => state.call(device).values['power']?.value === 'on');
    const told = readings().filter(({ values }) => 'power' in values);
    expect(told).toMatchObject([
      { source: 'read', retained: false, values: { power: 'off', percentage: 25 } },
      { source: 'report', retained: false, values: { power: 'on', percentage: 75 } },
    ]);
    expect(told[0]?.beganAt.mono).toBeLessThan(told[0]?.at.mono ?? 0);
    expect(told[1]?.beganAt).toEqual(told[1]?.at);
  });

  it('lives while its stream says anything', async () => {
    await open();
    await until(device, isPushed);
    expect(device.state().online).toBe(true);
    const { heardAt } = device.state();
    fan.say(':\n\n');
    await until(device, ({ state }) => state.call(device).heardAt !== heardAt);
    expect(readings().at(-1)).toMatchObject({ source: 'report', values: {} });
  });

  it('is asked instead when the stream breaks in the middle of a command', async () => {
    await open();
    await until(device, isPushed);
    const task = await home.submit('fan', { power: 'on' });
    await fan.http.arrived(2);
    fan.http.answer('GET /events', 'gone', 503);
    fan.state = 'ON';
    fan.cut();
    const settled = await home.settled(task);
    expect(ending(settled)).toBe('verified');
    expect(settled.reads).toBeGreaterThan(0);
    expect(settled.fields[0]?.runs[0]).toMatchObject({ value: 'on', source: 'read' });
    expect(fan.commands).toBe(1);
  });

  it('comes back to its stream, which tells how it stands now', async () => {
    await open();
    await until(device, isPushed);
    fan.cut();
    await until(device, isAskedFor);
    fan.state = 'ON';
    await until(device, isPushed);
    expect(fan.opened).toBe(2);
    expect(device.state().values['power']).toMatchObject({ value: 'on', live: true });
  });

  it('is asked from the moment at which its stream cannot be read, until it can again', async () => {
    await open();
    await until(device, isPushed);
    fan.say('event: state\ndata: {"id": "fan/Por\n\n');
    await until(device, isAskedFor);
    fan.act('ON');
    await until(device, isPushed);
    expect(fan.opened).toBe(1);
  });

  it('is asked as long as a stream has said nothing of the field', async () => {
    fan.dumps = false;
    await open();
    await fan.streams(1);
    const task = await home.submit('fan', { power: 'on' });
    await fan.http.arrived(3);
    fan.state = 'ON';
    expect(ending(await home.settled(task))).toBe('verified');
    expect(fan.reads).toBeGreaterThan(0);
    expect(isAskedFor(device)).toBe(true);
  });

  it('notices a connection on which nothing comes any more', async () => {
    const proxy = await new TcpProxy(Number(new URL(fan.http.base).port)).start();
    await open({ requests: { live: { heartbeat: '150ms' } } }, `http://127.0.0.1:${proxy.port}`);
    await until(device, isPushed);
    proxy.hold('down');
    await until(device, isAskedFor);
    await proxy.stop();
  });

  it('is not deafened by an event that is far too large, and hangs up on one that floods', async () => {
    await open();
    await until(device, isPushed);
    fan.say(`event: state\ndata: ${'x'.repeat(100_000)}\ndata: more\n\n`);
    await until(device, isAskedFor);
    fan.act('ON');
    await until(device, isPushed);
    expect(fan.opened).toBe(1);
    fan.say('event: log\ndata: noise\n\n'.repeat(5_000));
    await until(device, isAskedFor);
  });

  it.each<[string, number, string]>([
    ['not there', 404, 'text/html'],
    ['behind a login', 401, 'text/event-stream'],
    ['moved', 302, 'text/event-stream'],
    ['a page', 200, 'text/html'],
  ])('is asked where the stream is %s', async (_name, status, type) => {
    fan.http.on('GET /events', (_seen, response) => {
      response.writeHead(status, { 'content-type': type, location: '/elsewhere' }).end('<html>');
    });
    await open();
    const task = await home.submit('fan', { power: 'on' });
    fan.state = 'ON';
    expect(ending(await home.settled(task))).toBe('verified');
    expect(fan.http.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('is offline when nobody answers its requests either', async () => {
    await open();
    await until(device, isPushed);
    await fan.stop();
    await until(device, ({ state }) => state.call(device).online === false);
  });
});

describe('an HTTP device that pushes and has a period', () => {
  it('is not read in the background while it is pushed', async () => {
    const fan = await new EventFan().start();
    const clock = new VirtualClock();
    const read = { events: 'live', request: 'status', period: '1s' };
    const profile = { use: 'esphome/fan', with: { base: fan.http.base, entity: 'Porch Fan', speed_step: 25 } };
    const written = { ...profile, fields: { power: { read }, percentage: { read: { period: '1s' } } } };
    warmUp(profile, { id: 'fan/Porch Fan' });
    const device = buildDevice('fan', parseDevice(written, 'fan'), { clock });
    await device.start();
    await until(device, isPushed);
    const before = fan.reads;
    await clock.pass(10_000);
    await fetch(`${fan.http.base}/after`);
    expect(fan.reads).toBe(before);
    fan.http.answer('GET /events', 'gone', 404);
    fan.cut();
    await until(device, isAskedFor);
    // Once because the stream broke, and from then on every second.
    while (fan.reads < before + 3) await clock.pass(1_000);
    await device.stop();
    await fan.stop();
  });
});

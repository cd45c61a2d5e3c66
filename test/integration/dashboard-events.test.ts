import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandWire, EventWire, RefusalWire } from '../../gateway/dashboard/wire.ts';
import { askApi, OpenPage } from '../support/dashboard-client.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

const BEAT_MS = 40;
const MAX_PAGES = 3;

let gateway: TestGateway;
let pages: OpenPage[];

beforeEach(async () => {
  pages = [];
  gateway = await startGateway({
    beatMs: BEAT_MS,
    maxPages: MAX_PAGES,
    specs: [withApproval(DEMO_AC), DEMO_FAN],
    tokens: [
      tokenRecord('anna', 'control'),
      tokenRecord('ben', 'control'),
      tokenRecord('judge', 'approve'),
      tokenRecord('owner', 'admin'),
    ],
  });
});

afterEach(async () => {
  for (const page of pages) page.close();
  expect(gateway.errors).toEqual([]);
  await gateway.close();
});

async function open(as: string): Promise<OpenPage> {
  const page = await OpenPage.open(gateway.origin, tokenOf(as));
  pages.push(page);
  return page;
}

const submit = async (principal: string, set: Record<string, unknown>, deviceId = 'living_room_ac') =>
  (await gateway.commands.submit({ deviceId, set, principal })).taskId;

/** The commands of a page's first event. */
const begins = async (page: OpenPage) => (await page.nextOf('snapshot')).commands.map(({ id }) => id);

/** The first word about a command that fits. */
async function heard(page: OpenPage, fits: (command: CommandWire) => boolean): Promise<CommandWire> {
  for (;;) {
    const { command } = await page.nextOf('command');
    if (fits(command)) return command;
  }
}

describe('GET /api/events', () => {
  it('begins with everything as it is: the devices, what is under way, and what ended', async () => {
    gateway.commands.know('bedroom_fan', { power: 'on' });
    const ended = await submit('anna', { target_temperature: 99 });
    const under = await submit('anna', { target_temperature: 24 });
    const page = await open('anna');
    expect(page.response.headers.get('content-type')).toBe('text/event-stream');
    const first = await page.next();
    expect(first).toMatchObject({ type: 'snapshot', devices: [{ id: 'living_room_ac' }, { id: 'bedroom_fan' }] });
    expect(first?.type === 'snapshot' && first.commands.map(({ id, outcome }) => [id, outcome])).toEqual([
      [under, null],
      [ended, 'verdict'],
    ]);
  });

  it('tells every step of a command up to its verdict, and what changes after it', async () => {
    const page = await open('anna');
    await page.nextOf('snapshot');
    const id = await submit('anna', { target_temperature: 24 });
    expect(await heard(page, () => true)).toMatchObject({ id, phase: 'queued', mine: true });
    gateway.commands.send(id);
    gateway.commands.read(id, { target_temperature: 24 });
    expect(await heard(page, ({ outcome }) => outcome !== null)).toMatchObject({ id, verdict: 'verified', drifts: 0 });
    const at = gateway.commands.clock.now();
    const drift = { type: 'drifted', taskId: id, deviceId: 'living_room_ac', field: 'target_temperature' } as const;
    gateway.commands.drift({ ...drift, from: 24, to: 18, at });
    expect((await heard(page, ({ drifts }) => drifts > 0)).drifts).toBe(1);
  });

  it('tells each reader what their token lets them see', async () => {
    const [anna, ben, judge] = [await open('anna'), await open('ben'), await open('judge')];
    expect(await judge.next()).toMatchObject({ type: 'snapshot', devices: [], commands: [] });
    expect([await begins(anna), await begins(ben)]).toEqual([[], []]);
    const asked = await submit('anna', { target_temperature: 30 });
    const plain = await submit('anna', { fan_mode: 'low' });
    const bens = await submit('ben', { power: 'on' }, 'bedroom_fan');
    expect([(await heard(anna, () => true)).id, (await heard(anna, () => true)).id]).toEqual([asked, plain]);
    expect((await heard(ben, () => true)).id).toBe(bens);
    expect(await heard(judge, () => true)).toMatchObject({ id: asked, mine: false, question: { answer: null } });
    await askApi(gateway.origin, `/approvals/${asked}`, {
      as: tokenOf('judge'),
      post: { approve: true, through: 'dashboard' },
    });
    expect(await heard(judge, () => true)).toMatchObject({ id: asked, question: { answer: { by: 'judge' } } });
    expect((await heard(anna, ({ question }) => !!question?.answer)).id).toBe(asked);
  });

  it('shows an admin the commands of everybody, and an approver those with a question, from the beginning', async () => {
    const asked = await submit('anna', { target_temperature: 30 });
    const bens = await submit('ben', { power: 'on' }, 'bedroom_fan');
    expect(await begins(await open('owner'))).toEqual([bens, asked]);
    expect(await begins(await open('judge'))).toEqual([asked]);
  });

  it('tells of devices that change, come and go', async () => {
    const page = await open('anna');
    await page.nextOf('snapshot');
    gateway.commands.know('bedroom_fan', { power: 'on' });
    const { device } = await page.nextOf('device');
    expect(device).toMatchObject({ id: 'bedroom_fan', fields: [{ name: 'power', value: 'on' }, {}, {}, {}] });
    gateway.commands.appear({ ...DEMO_FAN, id: 'attic_fan' });
    expect((await page.nextOf('device')).device.id).toBe('attic_fan');
    gateway.commands.vanish('attic_fan');
    expect((await page.nextOf('device_gone')).id).toBe('attic_fan');
  });

  it('is not flooded by a chatty device, and tells the last of what it said', async () => {
    const page = await open('anna');
    await page.nextOf('snapshot');
    for (let percentage = 1; percentage <= 100; percentage += 1) {
      gateway.commands.know('bedroom_fan', { percentage });
    }
    const values: unknown[] = [];
    while (values.at(-1) !== 100) {
      const { device } = await page.nextOf('device');
      values.push(device.fields.find(({ name }) => name === 'percentage')?.value);
    }
    expect(values.length).toBeLessThanOrEqual(2);
  });

  it('tells that a device said the same once more: its age is new', async () => {
    gateway.commands.know('bedroom_fan', { power: 'on' });
    const page = await open('anna');
    const { devices } = await page.nextOf('snapshot');
    const at = (device: (typeof devices)[number] | undefined) => device?.fields[0]?.at ?? '';
    gateway.commands.advance(5_000);
    gateway.commands.repeat('bedroom_fan');
    const { device } = await page.nextOf('device');
    expect(Date.parse(at(device)) - Date.parse(at(devices[1]))).toBeGreaterThanOrEqual(5_000);
  });

  it('has devices asked while somebody looks, and nobody otherwise', async () => {
    await submit('anna', { target_temperature: 24 });
    expect(gateway.commands.looks).toEqual([]);
    const page = await open('anna');
    await page.nextOf('tick');
    await page.nextOf('tick');
    expect(gateway.commands.looks).toEqual([['living_room_ac', 'bedroom_fan']]);
    gateway.commands.advance(30_000);
    await page.nextOf('tick');
    await page.nextOf('tick');
    expect(gateway.commands.looks).toHaveLength(2);
  });

  it('holds no place for somebody who takes no body', async () => {
    const headers = { authorization: `Bearer ${tokenOf('anna')}` };
    for (let asked = 0; asked <= MAX_PAGES; asked += 1) {
      const { status } = await fetch(`${gateway.origin}/api/events`, { method: 'HEAD', headers });
      expect(status).toBe(200);
    }
    expect((await (await open('anna')).nextOf('snapshot')).commands).toEqual([]);
  });

  it('ticks, and numbers its messages', async () => {
    const page = await open('anna');
    expect((await page.next())?.type).toBe('snapshot');
    expect((await page.nextOf('tick')).now).toMatch(/^2026-/);
    const raw = await fetch(`${gateway.origin}/api/events`, {
      headers: { authorization: `Bearer ${tokenOf('anna')}` },
    });
    const { value } = await (raw.body as ReadableStream<Uint8Array>).getReader().read();
    expect(new TextDecoder().decode(value)).toMatch(/^id: 1\nevent: message\ndata: \{"type":"snapshot"/);
  });

  it('begins anew for a page that comes back, with what it missed', async () => {
    const first = await open('anna');
    await first.nextOf('snapshot');
    first.close();
    const missed = await submit('anna', { target_temperature: 24 });
    expect(await begins(await open('anna'))).toEqual([missed]);
  });

  it('is refused to one page too many, until another one goes', async () => {
    for (let count = 0; count < MAX_PAGES; count += 1) await (await open('anna')).nextOf('snapshot');
    const refused = await askApi<RefusalWire>(gateway.origin, '/events', { as: tokenOf('anna') });
    expect(refused).toMatchObject({ status: 429, body: { ok: false, error: 'too_many_pages' } });
    pages[0]?.close();
    for (;;) {
      const again = await open('anna');
      if (again.response.status === 200) break;
    }
  });

  it('is refused without a token', async () => {
    expect((await fetch(`${gateway.origin}/api/events`)).status).toBe(401);
  });

  it('ends at a stop, and begins for nobody any more', async () => {
    const page = await open('anna');
    await page.nextOf('snapshot');
    gateway.endPages();
    let last: EventWire | undefined;
    do last = await page.next();
    while (last);
    const refused = await askApi<RefusalWire>(gateway.origin, '/events', { as: tokenOf('anna') });
    expect(refused).toMatchObject({ status: 503, body: { error: 'shutting_down' } });
  });
});

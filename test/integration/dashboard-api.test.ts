import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  CommandStoryWire,
  CommandsWire,
  CommandWire,
  DevicesWire,
  DeviceWire,
  HomeWire,
  RefusalWire,
} from '../../gateway/dashboard/wire.ts';
import { askApi } from '../support/dashboard-client.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { HOUSEHOLD, tokenOf } from '../support/tokens.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({
    specs: [withApproval(DEMO_AC), DEMO_FAN],
    tokens: HOUSEHOLD,
  });
});

afterEach(async () => {
  expect(gateway.errors).toEqual([]);
  await gateway.close();
});

const get = <Body = RefusalWire>(as: string, path: string) => askApi<Body>(gateway.origin, path, { as: tokenOf(as) });
const post = <Body = RefusalWire>(as: string, path: string, body: unknown) =>
  askApi<Body>(gateway.origin, path, { as: tokenOf(as), post: body });

/** Somebody's command, as it was answered. */
async function command(as: string, set: Record<string, unknown>, device = 'living_room_ac'): Promise<CommandWire> {
  const { status, body } = await post<CommandWire>(as, '/commands', { device, set });
  expect(status).toBe(202);
  return body;
}

const idsOf = async (as: string, query = '') =>
  (await get<CommandsWire>(as, `/commands${query}`)).body.commands.map(({ id }) => id);

describe('GET /api/home', () => {
  it('says who looks, what for, and which days can be looked back on', async () => {
    const { status, body } = await get<HomeWire>('anna', '/home');
    expect(status).toBe(200);
    expect(body).toEqual({
      name: 'readback',
      version: '0.0.0-test',
      now: expect.stringMatching(ISO),
      me: { name: 'anna', can: ['read', 'control'] },
      simulator: false,
      days: [],
    });
    await command('anna', { target_temperature: 99 });
    expect((await get<HomeWire>('judge', '/home')).body).toMatchObject({
      me: { can: ['approve'] },
      days: ['2026-11-30'],
    });
  });
});

describe('GET /api/devices', () => {
  it('tells every device whole: values, limits, options, ages, and what asks a person first', async () => {
    gateway.commands.know('living_room_ac', { power: 'on', target_temperature: 22 });
    const { body } = await get<DevicesWire>('kiosk', '/devices');
    expect(body.devices.map(({ id }) => id)).toEqual(['living_room_ac', 'bedroom_fan']);
    const [ac] = body.devices;
    expect(ac).toMatchObject({
      name: 'Living-room AC',
      area: 'Living room',
      kind: 'climate',
      reachable: true,
      heard_at: expect.stringMatching(ISO),
      caveats: [],
    });
    const field = (name: string) => ac?.fields.find((each) => each.name === name);
    expect(field('target_temperature')).toEqual({
      name: 'target_temperature',
      value: 22,
      at: expect.stringMatching(ISO),
      writable: true,
      min: 16,
      max: 30,
      step: 1,
      unit: 'C',
      applies: true,
      asks: true,
    });
    expect(field('hvac_mode')).toEqual({
      name: 'hvac_mode',
      value: null,
      at: null,
      writable: true,
      options: ['cool', 'heat', 'dry', 'fan_only', 'auto'],
      applies: true,
      asks: false,
    });
    expect(field('current_temperature')).toMatchObject({ writable: false });
  });

  it('asks one device where it is told to, and knows no other', async () => {
    const { status, body } = await post<DeviceWire>('kiosk', '/devices/bedroom_fan/look', {});
    expect([status, body.id]).toEqual([200, 'bedroom_fan']);
    expect(gateway.commands.looks).toEqual([['bedroom_fan']]);
    expect(await post('kiosk', '/devices/attic/look', {})).toMatchObject({
      status: 404,
      body: { error: 'unknown_device' },
    });
  });
});

describe('POST /api/commands', () => {
  it('takes a command, and answers with it as the list shows it', async () => {
    expect(await command('anna', { target_temperature: 24 })).toEqual({
      id: expect.any(String),
      device: 'living_room_ac',
      device_name: 'Living-room AC',
      kind: 'climate',
      principal: 'anna',
      mine: true,
      phase: 'queued',
      verdict: null,
      reason: null,
      outcome: null,
      message: 'Living-room AC: target_temperature 24 °C waits for its turn; nothing has been sent.',
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
      sent_at: null,
      ended_at: null,
      deadline_at: null,
      usual_ms: null,
      reads: 0,
      fields: [
        {
          name: 'target_temperature',
          requested: 24,
          sent: 24,
          before: null,
          observed: null,
          evidence: null,
          verdict: null,
          reason: null,
          unit: 'C',
          step: 1,
        },
      ],
      question: null,
      drifts: 0,
    });
  });

  it('has the verdict of the plan at once where it cannot be carried out', async () => {
    expect(await command('anna', { target_temperature: 99 })).toMatchObject({
      outcome: 'verdict',
      verdict: 'rejected',
      reason: 'out_of_range',
    });
  });

  it.each([
    ['no JSON object', []],
    ['an unknown key', { device: 'bedroom_fan', set: {}, force: true }],
    ['values that are none', { device: 'bedroom_fan', set: { power: { on: true } } }],
    ['nothing to set', { device: 'bedroom_fan', set: {} }],
  ])('refuses %s in clear words', async (_, body) => {
    const answer = await post('anna', '/commands', body);
    expect(answer).toMatchObject({ status: 400, body: { ok: false, message: expect.stringMatching(/\w/) } });
    expect(gateway.commands.wishes.filter(({ set }) => Object.keys(set).length > 0)).toEqual([]);
  });

  it('knows no other device', async () => {
    expect((await post('anna', '/commands', { device: 'attic', set: { power: 'on' } })).status).toBe(404);
  });
});

describe('what a token does not allow', () => {
  it.each([
    ['kiosk', '/commands', { device: 'bedroom_fan', set: { power: 'on' } }, 'control'],
    ['kiosk', '/commands/any/cancel', {}, 'control'],
    ['judge', '/devices/bedroom_fan/look', {}, 'read'],
    ['anna', '/approvals/any', { approve: true, through: 'dashboard' }, 'approve'],
  ])('is refused to %s: POST %s', async (as, path, body, scope) => {
    const answer = await post(as, path, body);
    expect(answer).toMatchObject({ status: 403, body: { ok: false, error: 'not_allowed' } });
    expect(answer.body.message).toContain(`needs the scope ${scope}`);
    expect(gateway.commands.wishes).toEqual([]);
  });

  it('is not told either', async () => {
    expect((await get('judge', '/devices')).status).toBe(403);
    expect((await get('kiosk', '/approvals')).status).toBe(403);
    expect((await get('owner', '/simulator')).status).toBe(404);
  });
});

describe('GET /api/commands', () => {
  it('tells a reader of their own, an admin of all, and whoever may approve of the questions of others', async () => {
    const annas = (await command('anna', { target_temperature: 24 })).id;
    const asked = (await command('anna', { target_temperature: 30 })).id;
    const bens = (await command('ben', { power: 'on' }, 'bedroom_fan')).id;
    expect(await idsOf('anna')).toEqual([asked, annas]);
    expect(await idsOf('ben')).toEqual([bens]);
    expect(await idsOf('kiosk')).toEqual([]);
    expect(await idsOf('judge')).toEqual([asked]);
    expect(await idsOf('owner')).toEqual([bens, asked, annas]);
    const { body } = await get<CommandsWire>('judge', '/commands');
    expect(body.commands[0]).toMatchObject({
      mine: false,
      phase: 'awaiting_approval',
      question: { text: 'Set Living-room AC: target_temperature to 30 °C?', answer: null },
    });
  });

  it('filters by device, verdict and principal', async () => {
    const rejected = (await command('anna', { target_temperature: 99 })).id;
    const open = (await command('anna', { fan_mode: 'low' })).id;
    const fan = (await command('ben', { power: 'on' }, 'bedroom_fan')).id;
    expect(await idsOf('owner', '?device=living_room_ac')).toEqual([open, rejected]);
    expect(await idsOf('owner', '?verdict=rejected')).toEqual([rejected]);
    expect(await idsOf('owner', '?principal=ben')).toEqual([fan]);
    expect(await idsOf('anna', '?principal=ben')).toEqual([]);
    expect(await idsOf('anna', '?principal=anna&device=living_room_ac&verdict=rejected')).toEqual([rejected]);
  });

  it.each(['?limit=0', '?limit=9999', '?verdict=splendid', '?day=yesterday', '?device=a&device=b', '?sort=up'])(
    'refuses %s and says why',
    async (query) => {
      expect(await get('owner', `/commands${query}`)).toMatchObject({ status: 400, body: { error: 'bad_value' } });
    },
  );

  it.each(['', '&day=2026-11-30'])('gives pages without gap or repetition%s', async (day) => {
    const made: string[] = [];
    for (let count = 0; count < 7; count += 1) made.push((await command('anna', { target_temperature: 99 })).id);
    const seen: string[] = [];
    let next: string | null | undefined;
    do {
      const before: string = next ? `&before=${next}` : '';
      const { body } = await get<CommandsWire>('anna', `/commands?limit=3${day}${before}`);
      expect(body.commands.length).toBeLessThanOrEqual(3);
      seen.push(...body.commands.map(({ id }) => id));
      next = body.next;
    } while (next);
    expect([...seen].sort()).toEqual([...made].sort());
  });

  it('looks back on a day, each reader on their own', async () => {
    const annas = (await command('anna', { target_temperature: 99 })).id;
    await command('anna', { fan_mode: 'low' });
    const bens = (await command('ben', { power: 'loud' }, 'bedroom_fan')).id;
    expect(await idsOf('anna', '?day=2026-11-30')).toEqual([annas]);
    expect((await idsOf('owner', '?day=2026-11-30')).sort()).toEqual([annas, bens].sort());
    expect(await idsOf('owner', '?day=2026-11-30&device=bedroom_fan')).toEqual([bens]);
    expect(await idsOf('owner', '?day=2026-11-29')).toEqual([]);
    const past = await get<CommandStoryWire>('anna', `/commands/${annas}?day=2026-11-30`);
    expect(past.body.moments.map(({ type }) => type)).toEqual(['created', 'ended']);
    expect((await get('ben', `/commands/${annas}?day=2026-11-30`)).status).toBe(404);
  });
});

describe('GET /api/commands/:id', () => {
  it('tells the story, up to what changed after the verdict', async () => {
    const { id } = await command('anna', { target_temperature: 24 });
    gateway.commands.send(id);
    gateway.commands.read(id, { target_temperature: 22 });
    gateway.commands.read(id, { target_temperature: 24 });
    const at = gateway.commands.clock.now();
    gateway.commands.drift({
      type: 'drifted',
      taskId: id,
      deviceId: 'living_room_ac',
      field: 'target_temperature',
      from: 24,
      to: 18,
      at,
    });
    const { body } = await get<CommandStoryWire>('anna', `/commands/${id}`);
    expect(body.command).toMatchObject({
      verdict: 'verified',
      drifts: 1,
      reads: 2,
      fields: [{ before: 22, observed: 24, evidence: 3, verdict: 'verified' }],
      sent_at: expect.stringMatching(ISO),
      ended_at: expect.stringMatching(ISO),
    });
    const { sent_at, deadline_at } = body.command;
    expect(Date.parse(deadline_at ?? '') - Date.parse(sent_at ?? '')).toBe(20_000);
    expect(body.moments.map(({ type, value }) => [type, value])).toEqual([
      ['created', undefined],
      ['sent', 24],
      ['reading', 22],
      ['reading', 24],
      ['ended', undefined],
      ['drifted', 18],
    ]);
  });

  it('is told to the one whose it is, to an admin, and to whoever may answer its question, then and later', async () => {
    const plain = (await command('anna', { target_temperature: 24 })).id;
    const asked = (await command('anna', { target_temperature: 30 })).id;
    const status = async (as: string, id: string) => (await get(as, `/commands/${id}`)).status;
    for (const [as, forPlain, forAsked] of [
      ['anna', 200, 200],
      ['owner', 200, 200],
      ['judge', 404, 200],
      ['ben', 404, 404],
      ['kiosk', 404, 404],
    ] as const) {
      expect([as, await status(as, plain), await status(as, asked)]).toEqual([as, forPlain, forAsked]);
    }
    await post('judge', `/approvals/${asked}`, { approve: false, through: 'dashboard' });
    const { body } = await get<CommandStoryWire>('judge', `/commands/${asked}`);
    expect(body.command).toMatchObject({ verdict: 'declined', question: { answer: { approved: false, by: 'judge' } } });
    expect((await get('owner', '/commands/never-made')).body.error).toBe('unknown_task');
  });
});

describe('POST /api/commands/:id/cancel', () => {
  it('is for the one whose it is, and for an admin', async () => {
    const first = (await command('anna', { target_temperature: 24 })).id;
    const second = (await command('anna', { fan_mode: 'low' })).id;
    expect((await post('ben', `/commands/${first}/cancel`, {})).status).toBe(404);
    expect((await gateway.commands.get(first, null))?.outcome).toBeNull();
    const own = await post<CommandWire>('anna', `/commands/${first}/cancel`, {});
    expect(own).toMatchObject({ status: 200, body: { outcome: 'cancelled', verdict: null, mine: true } });
    expect((await post<CommandWire>('owner', `/commands/${second}/cancel`, {})).body.outcome).toBe('cancelled');
  });
});

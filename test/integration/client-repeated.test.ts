import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OtherCaller } from '../../gateway/client/failure.ts';
import type { Wish } from '../../gateway/client/wish.ts';
import { ClientBench, device, KeptWishes } from '../support/client-bench.ts';
import { DEMO_AC } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

const SET = device(DEMO_AC.id, { power: 'on' });
const QUICK_MS = 300;

let gateway: TestGateway;
const benches: ClientBench[] = [];

function clientOf(wishes: KeptWishes, name?: string): ClientBench {
  const token = name === undefined ? {} : { token: tokenOf(name) };
  const bench = new ClientBench(() => ({ url: gateway.url, ...token }), wishes);
  benches.push(bench);
  return bench;
}

/** What a client leaves that dies when its so manieth change is on disk. */
async function leftAfter(puts: number, name: string): Promise<{ readonly kept: KeptWishes; readonly wish: Wish }> {
  const kept = new KeptWishes();
  kept.putsLeft = puts;
  const submitted = new Promise<void>((resolve) => {
    gateway.commands.onSubmit = () => resolve();
  });
  const bench = clientOf(kept, name);
  const { id } = await bench.wish(SET);
  await submitted;
  if (puts > 2) await bench.heard((event) => (event.type === 'task' && event.wish.id === id) || undefined);
  await bench.client.close();
  kept.putsLeft = Number.POSITIVE_INFINITY;
  const wish = kept.get(id);
  if (!wish) throw new Error('nothing was kept');
  return { kept, wish };
}

/** A wish that was sent perhaps, and how it goes on. */
async function resumed(change: Partial<Wish>, name?: string): Promise<{ bench: ClientBench; wish: Wish }> {
  const nowhere = new ClientBench(() => undefined);
  benches.push(nowhere);
  const wish: Wish = { ...(await nowhere.wish(SET, QUICK_MS)), stage: 'calling', keyed: true, ...change };
  const bench = clientOf(new KeptWishes(), name);
  bench.client.resume([wish]);
  return { bench, wish };
}

const commandsOf = (principal: string) => gateway.commands.list({ principal, limit: 10 });
const delayed = (bench: ClientBench) => bench.heard((event) => (event.type === 'delayed' ? event.why : undefined));

beforeEach(async () => {
  const tokens = [tokenRecord('anna', 'read', 'control'), tokenRecord('ben', 'read', 'control')];
  gateway = await startGateway({ tokens: [...tokens, tokenRecord('guest', 'read')] });
});

afterEach(async () => {
  await Promise.all(benches.splice(0).map(({ client }) => client.close()));
  await gateway.close();
});

describe('a wish that was sent with one token and is taken up with another', () => {
  it.each([
    { stage: 'calling', puts: 2 },
    { stage: 'following', puts: 3 },
  ])('stays on record as $stage, and says whose token is needed', async ({ stage, puts }) => {
    const { kept, wish } = await leftAfter(puts, 'anna');
    expect(wish).toMatchObject({ stage, sentAs: '"anna"' });
    const ben = clientOf(kept, 'ben');
    ben.client.resume([wish]);
    await expect(ben.client.ended(wish.id)).rejects.toThrow(OtherCaller);
    await expect(ben.client.ended(wish.id)).rejects.toThrow(/sent as "anna"/);
    expect(kept.get(wish.id)).toEqual(wish);
    expect(await commandsOf('ben')).toEqual([]);

    const anna = clientOf(kept, 'anna');
    anna.client.resume([wish]);
    await anna.task(wish);
    expect(await commandsOf('anna')).toHaveLength(1);
  });
});

describe('a wish that was sent perhaps', () => {
  it.each([
    { what: 'a device that is not known (yet)', name: 'anna', target: device('garage', { power: 'on' }) },
    { what: 'a closed door', name: undefined, target: SET },
    { what: 'a token that may not command', name: 'guest', target: SET },
  ])('does not fail by $what: what became of it is unknown', async ({ name, target }) => {
    const { bench, wish } = await resumed({ target }, name);
    await delayed(bench);
    expect(await bench.client.ended(wish.id)).toMatchObject({ outcome: { type: 'unknown' } });
  });

  it('is taken by a gateway that discovers its device a while after its start', async () => {
    const late = { ...DEMO_AC, id: 'late_ac' };
    const { bench, wish } = await resumed({ target: device(late.id, { power: 'on' }), withinMs: 30_000 }, 'anna');
    expect(await delayed(bench)).toContain('There is no device');
    gateway.commands.appear(late);
    await bench.task(wish);
  });
});

describe('a wish that has waited for its gateway', () => {
  it('waits for its device too', async () => {
    const late = { ...DEMO_AC, id: 'late_ac' };
    let runs = false;
    const bench = new ClientBench(() => (runs ? { url: gateway.url, token: tokenOf('anna') } : undefined));
    benches.push(bench);
    const wish = await bench.wish(device(late.id, { power: 'on' }));
    await delayed(bench);
    runs = true;
    await bench.heard((event) => (event.type === 'delayed' && /There is no device/.test(event.why)) || undefined);
    gateway.commands.appear(late);
    await bench.task(wish);
  });

  it('is still delivered where the clock had not been set when it was made', async () => {
    const { bench, wish } = await resumed({ stage: 'wished', madeAt: 60_000, withinMs: 30_000 }, 'anna');
    await bench.task(wish);
    expect(await commandsOf('anna')).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { yesOrNo } from '../../gateway/client/questions.ts';
import type { Wish } from '../../gateway/client/wish.ts';
import { ClientBench, device, KeptWishes } from '../support/client-bench.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { tokenRecord } from '../support/tokens.ts';

const AC = DEMO_AC.id;
const FAN = DEMO_FAN.id;

let gateway: TestGateway;
const benches: ClientBench[] = [];

function clientOf(wishes = new KeptWishes(), locate: () => string | undefined = () => gateway.url): ClientBench {
  const bench = new ClientBench(locate, wishes);
  benches.push(bench);
  return bench;
}

/** The device does what it was told, and is read back. */
function carryOut(taskId: string, values: Record<string, string | number>): void {
  gateway.commands.send(taskId);
  gateway.commands.read(taskId, values);
}

const verified = { stage: 'ended', outcome: { type: 'verdict', verdict: 'verified', reason: null } };

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
});

afterEach(async () => {
  await Promise.all(benches.splice(0).map(({ client }) => client.close()));
  await gateway.close();
});

describe('a wish', () => {
  it('is on record before each of its steps, and ends with the verdict', async () => {
    const bench = clientOf();
    const wish = await bench.wish(device(AC, { power: 'on' }));
    carryOut(await bench.task(wish), { power: 'on' });
    expect(await bench.client.ended(wish.id)).toMatchObject({ ...verified, text: expect.stringContaining('power') });
    expect(bench.stages(wish)).toEqual(['wished', 'calling', 'following', 'ended']);
    expect(gateway.commands.wishes).toMatchObject([{ deviceId: AC, key: wish.id }]);
  });

  it.each([1, 2, 3])('is carried out once where the client dies after change %i of its record', async (puts) => {
    const kept = new KeptWishes();
    kept.putsLeft = puts;
    const first = clientOf(kept);
    const wish = await first.wish(device(AC, { power: 'on' }));
    if (puts >= 3) await first.task(wish);
    await first.client.close();
    kept.putsLeft = Number.POSITIVE_INFINITY;

    const second = clientOf(kept);
    const [left] = second.client.wishes();
    expect(left).toMatchObject({ id: wish.id, outcome: null });
    second.client.resume(second.client.wishes());
    carryOut(await second.task(wish), { power: 'on' });
    expect(await second.client.ended(wish.id)).toMatchObject(verified);
    expect(await gateway.commands.list({ principal: 'local', limit: 10 })).toHaveLength(1);
  });

  it('is asked about under its key where the answer was lost', async () => {
    const proxy = await new TcpProxy(Number(new URL(gateway.url).port)).start();
    const bench = clientOf(undefined, () => `http://127.0.0.1:${proxy.port}/mcp`);
    gateway.commands.onSubmit = () => {
      gateway.commands.onSubmit = () => {};
      proxy.cut();
    };
    const wish = await bench.wish(device(AC, { power: 'on' }));
    carryOut(await bench.task(wish), { power: 'on' });
    expect(await bench.client.ended(wish.id)).toMatchObject(verified);
    expect(gateway.commands.wishes.length).toBeGreaterThan(1);
    expect(new Set(gateway.commands.wishes.map(({ key }) => key))).toEqual(new Set([wish.id]));
    expect(await gateway.commands.list({ principal: 'local', limit: 10 })).toHaveLength(1);
    await proxy.stop();
  });

  it('is not sent again where nobody would know it again', async () => {
    const kept = new KeptWishes();
    const lost: Wish = {
      ...(await clientOf(undefined, () => undefined).wish(device(AC, { power: 'on' }))),
      stage: 'calling',
      keyed: false,
    };
    await kept.put(lost.id, lost);
    const bench = clientOf(kept);
    bench.client.resume([lost]);
    expect(await bench.client.ended(lost.id)).toMatchObject({ outcome: { type: 'unknown' } });
    expect(gateway.commands.wishes).toEqual([]);
  });

  it('is given up where no server takes it in time, and nothing was sent', async () => {
    const bench = clientOf(undefined, () => undefined);
    const wish = await bench.wish(device(AC, { power: 'on' }), 200);
    expect(await bench.client.ended(wish.id)).toMatchObject({ outcome: { type: 'not_delivered' } });
  });

  it('waits for the gateway, and keeps the order of its device', async () => {
    let url: string | undefined;
    const bench = clientOf(undefined, () => url);
    const first = await bench.wish(device(AC, { power: 'on' }));
    await bench.wish(device(AC, { power: 'off' }));
    await bench.wish(device(AC, { target_temperature: 20 }));
    await bench.heard((event) => (event.type === 'delayed' && event.wish.id === first.id) || undefined);
    url = gateway.url;
    await Promise.all(bench.client.wishes().map((wish) => bench.task(wish)));
    expect(gateway.commands.wishes.map(({ set }) => set)).toEqual([
      { power: 'on' },
      { power: 'off' },
      { target_temperature: 20 },
    ]);
  });

  it('ends at once where the gateway knows no such device', async () => {
    const bench = clientOf();
    const wish = await bench.wish(device('garage', { power: 'on' }));
    expect(await bench.client.ended(wish.id)).toMatchObject({
      outcome: { type: 'failed' },
      text: expect.stringContaining(AC),
    });
  });

  it('ends at once where the server does not know its token', async () => {
    const closed = await startGateway({ tokens: [tokenRecord('anna', 'read', 'control')] });
    const bench = clientOf(undefined, () => closed.url);
    const wish = await bench.wish(device(AC, { power: 'on' }));
    expect(await bench.client.ended(wish.id)).toMatchObject({
      outcome: { type: 'failed' },
      text: expect.stringContaining('--token'),
    });
    await closed.close();
  });

  it('can be cancelled: on its way, and before it was sent', async () => {
    const bench = clientOf();
    const sent = await bench.wish(device(AC, { power: 'on' }));
    await bench.task(sent);
    await bench.client.cancel(sent.id);
    expect(await bench.client.ended(sent.id)).toMatchObject({ outcome: { type: 'cancelled' } });

    const nowhere = clientOf(undefined, () => undefined);
    const kept = await nowhere.wish(device(AC, { power: 'on' }));
    await nowhere.client.cancel(kept.id);
    expect(await nowhere.client.ended(kept.id)).toMatchObject({ text: expect.stringContaining('nothing was sent') });
  });

  it('ends as forgotten where the server does not know its task any more', async () => {
    const bench = clientOf();
    const wish = await bench.wish(device(AC, { power: 'on' }));
    await bench.task(wish);
    const before = gateway;
    gateway = await startGateway({ specs: [DEMO_AC] });
    await before.close();
    expect(await bench.client.ended(wish.id)).toMatchObject({ outcome: { type: 'forgotten' } });
  });
});

describe('questions', () => {
  const guarded = { target_temperature: 29 };

  it('are answered in any order, each while the others wait', async () => {
    const bench = clientOf();
    const wishes = await Promise.all([1, 2, 3].map(() => bench.wish(device(AC, guarded))));
    const questions = await Promise.all(wishes.map((wish) => bench.question(wish)));
    for (const { wishId, key, form } of questions.toReversed()) {
      const answer = yesOrNo(form, false);
      expect(answer).not.toBeNull();
      if (answer) await bench.client.answer(wishId, key, answer);
      expect(await bench.client.ended(wishId)).toMatchObject({ outcome: { verdict: 'declined' } });
    }
    expect(bench.client.questions()).toEqual([]);
  });

  it('are withdrawn where somebody answers elsewhere', async () => {
    const bench = clientOf();
    const wish = await bench.wish(device(AC, guarded));
    const { key } = await bench.question(wish);
    const taskId = await bench.task(wish);
    await gateway.commands.answer(taskId, 'local', { approved: true, by: 'anna', through: 'cli' });
    await bench.heard((event) => (event.type === 'withdrawn' && event.question.wishId === wish.id) || undefined);
    expect(await bench.client.answer(wish.id, key, { action: 'decline' })).toBe(false);
  });

  it('are never put again once they are answered, by another client of the same records neither', async () => {
    const kept = new KeptWishes();
    const first = clientOf(kept);
    const wish = await first.wish(device(AC, guarded));
    const { key, form } = await first.question(wish);
    await first.client.answer(wish.id, key, yesOrNo(form, true) ?? { action: 'cancel' });
    await first.client.close();
    const second = clientOf(kept);
    second.client.resume(second.client.wishes());
    carryOut(await second.task(wish), guarded);
    expect(await second.client.ended(wish.id)).toMatchObject(verified);
    expect(second.events.filter(({ type }) => type === 'question')).toEqual([]);
    expect(kept.get(wish.id)?.answered).toEqual([key]);
  });
});

describe('following', () => {
  it('takes one stream for all tasks, and asks after none', async () => {
    const proxy = await new TcpProxy(Number(new URL(gateway.url).port)).start();
    const kept = new KeptWishes();
    const first = clientOf(kept);
    const wishes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => first.wish(device(at % 2 ? AC : FAN, { power: 'on' }))),
    );
    await Promise.all(wishes.map((wish) => first.task(wish)));
    await first.client.close();

    const second = clientOf(kept, () => `http://127.0.0.1:${proxy.port}/mcp`);
    second.client.resume(second.client.wishes());
    const taskIds = await Promise.all(wishes.map((wish) => second.task(wish)));
    for (const taskId of taskIds) carryOut(taskId, { power: 'on' });
    const ended = await Promise.all(wishes.map(({ id }) => second.client.ended(id)));
    expect(ended.every((wish) => wish?.outcome?.type === 'verdict')).toBe(true);
    expect(proxy.times('"method":"subscriptions/listen"')).toBe(1);
    expect(proxy.times('"method":"tasks/get"')).toBe(0);
    await proxy.stop();
  });

  it('goes on after a break with what happened meanwhile', async () => {
    const proxy = await new TcpProxy(Number(new URL(gateway.url).port)).start();
    const bench = clientOf(undefined, () => `http://127.0.0.1:${proxy.port}/mcp`);
    const wish = await bench.wish(device(AC, { power: 'on' }));
    const taskId = await bench.task(wish);
    proxy.cut();
    carryOut(taskId, { power: 'on' });
    expect(await bench.client.ended(wish.id)).toMatchObject(verified);
    await proxy.stop();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Wish } from '../../gateway/client/wish.ts';
import { EXIT_CODES } from '../../gateway/commands/client/exit-code.ts';
import { openClientFolder } from '../../gateway/commands/client/folder.ts';
import { call, watch } from '../../gateway/commands/client/follow.ts';
import { ClientBench, device, KeptWishes } from '../support/client-bench.ts';
import { DEMO_AC } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';

const WORDS = [DEMO_AC.id, 'power=on'];
const HOUR_MS = 3_600_000;
const fail = (message: string) => expect.unreachable(message);

let gateway: TestGateway;
let folder: string;
let told: string;

beforeEach(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'readback-client-'));
  told = '';
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(console, 'error').mockImplementation((line) => {
    told += `${line}\n`;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const options = () => ({ url: gateway.url, clientData: folder, within: 30_000, json: true });

/** What an earlier command left of the same wish. */
async function left(change: Partial<Wish>): Promise<Wish> {
  const nowhere = new ClientBench(() => undefined);
  const wish: Wish = { ...(await nowhere.wish(device(DEMO_AC.id, { power: 'on' }))), server: gateway.url, ...change };
  await nowhere.client.close();
  const kept = await openClientFolder(folder, fail);
  await kept.wishes.put(wish.id, wish);
  await kept.close();
  return wish;
}

/** The same with a task that the gateway has made of it. */
async function leftFollowing(): Promise<{ readonly wish: Wish; readonly taskId: string }> {
  const kept = new KeptWishes();
  const bench = new ClientBench(() => gateway.url, kept);
  const { id } = await bench.wish(device(DEMO_AC.id, { power: 'on' }));
  const taskId = await bench.task(bench.client.wishes()[0] ?? fail('nothing was kept'));
  await bench.client.close();
  return { wish: await left({ ...kept.get(id), server: gateway.url }), taskId };
}

function carryOut(taskId: string): void {
  gateway.commands.send(taskId);
  gateway.commands.read(taskId, { power: 'on' });
}

const commands = () => gateway.commands.list({ principal: 'local', limit: 10 });

describe('a call for what an earlier one left', () => {
  it('goes on with it while it may be delivered', async () => {
    const wish = await left({});
    gateway.commands.onSubmit = carryOut;
    expect(await call(WORDS, options())).toBe(EXIT_CODES.verified);
    expect(told).toContain('this is the same wish');
    expect(gateway.commands.wishes).toMatchObject([{ key: wish.id }]);
  });

  it('goes on with its task while that has not ended', async () => {
    const { taskId } = await leftFollowing();
    vi.mocked(console.error).mockImplementation((line) => {
      told += `${line}\n`;
      if (String(line).includes('this is the same wish')) carryOut(taskId);
    });
    expect(await call(WORDS, options())).toBe(EXIT_CODES.verified);
    expect(told).toContain('this is the same wish');
    expect(await commands()).toHaveLength(1);
  });

  it('is a new wish where its task has ended meanwhile, and says so', async () => {
    const { wish, taskId } = await leftFollowing();
    carryOut(taskId);
    gateway.commands.onSubmit = carryOut;
    expect(await call(WORDS, options())).toBe(EXIT_CODES.verified);
    expect(told).toContain('has ended: verified; this is a new one');
    expect(await commands()).toHaveLength(2);
    const kept = await openClientFolder(folder, fail);
    const all = [...kept.wishes.values(), ...(await kept.others())];
    expect(all.find(({ id }) => id === wish.id)).toMatchObject({ outcome: { verdict: 'verified' } });
    await kept.close();
  });

  it('is a new wish where its time to be delivered is over', async () => {
    const wish = await left({ madeAt: Date.now() - HOUR_MS });
    gateway.commands.onSubmit = carryOut;
    expect(await call(WORDS, options())).toBe(EXIT_CODES.verified);
    expect(gateway.commands.wishes).toHaveLength(1);
    expect(gateway.commands.wishes[0]?.key).not.toBe(wish.id);
  });
});

describe('a watch', () => {
  it('tells what it cannot follow, and leaves it on record', async () => {
    const wish = await left({ stage: 'calling', keyed: true, sentAs: '"anna"' });
    expect(await watch([], options())).toBe(1);
    expect(told).toContain('sent as "anna"');
    const kept = await openClientFolder(folder, fail);
    expect(kept.found).toEqual([wish]);
    await kept.close();
  });
});

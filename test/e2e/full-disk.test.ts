import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TasksClient } from '../../scripts/support/tasks-client.ts';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, settled, submit } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 120_000 });

let daemons: Daemons;
let simulator: Simulator;
/** A disk of one megabyte. */
let disk: string;
let isMounted: boolean;

beforeEach(async () => {
  daemons = new Daemons();
  simulator = await daemons.simulator(50);
  disk = daemons.path('disk');
  mkdirSync(disk);
  isMounted = mount();
  if (isMounted) daemons.atEnd(() => execFileSync('umount', [disk]));
});

afterEach(async () => {
  await daemons.close();
});

/** Only root may, and not in every container. */
function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const filler = () => join(disk, 'filler');

/** Takes all the space that is left, to the last byte. */
function fill(): void {
  writeFileSync(filler(), '');
  for (let size = 1 << 20; size >= 1; size = size === 1 ? 0 : size >> 1) {
    try {
      for (;;) writeFileSync(filler(), Buffer.alloc(size), { flag: 'a' });
    } catch {
      // Less fits, perhaps.
    }
  }
}

async function call({ client }: TasksClient, name: string, args: Record<string, unknown>) {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  return { ...(structuredContent as Record<string, unknown>), isError };
}

/** A wish that is refused by its plan costs one record: sooner or later none fits into what is left of the last page. */
async function untilRefused(client: TasksClient): Promise<unknown> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const answer = await call(client, 'set_climate', { target_temperature: 99 });
    if ('error' in answer) return answer;
  }
  throw new Error('The disk takes more and more.');
}

async function status(url: string, path: string): Promise<{ code: number; body: unknown }> {
  const response = await fetch(new URL(path, url));
  return { code: response.status, body: await response.json() };
}

describe('a gateway on a full disk', () => {
  it('refuses commands, goes on reading, says so, starts again, and recovers by itself', async ({ skip }) => {
    skip(!isMounted, 'no file system can be mounted here');
    const data = join(disk, 'data');
    const first = await daemons.gateway(simulator, data);
    const client = await daemons.client(first.url);
    const taskId = await submit(client, 26);
    expect(await settled(client, taskId)).toMatchObject({ status: 'completed' });

    fill();
    expect(await untilRefused(client)).toMatchObject({ ok: false, error: 'store_unavailable', isError: true });
    const commands = simulator.home.truth('ac').counts['ac']?.commands;
    expect(await call(client, 'set_climate', { target_temperature: 24 })).toMatchObject({ error: 'store_unavailable' });
    expect(simulator.home.truth('ac').counts['ac']?.commands).toBe(commands);
    const now = { devices: [{ values: { target_temperature: { value: 26 } } }] };
    expect(await call(client, 'get_state', { device: 'ac' })).toMatchObject(now);
    expect(await status(first.url, '/healthz')).toMatchObject({ code: 200, body: { status: 'degraded' } });
    expect(await status(first.url, '/readyz')).toMatchObject({ code: 503 });

    await first.program.end('SIGKILL');
    const second = await daemons.gateway(simulator, data);
    const again = await daemons.client(second.url);
    expect(await settled(again, taskId)).toMatchObject({ status: 'completed', result: { verdict: 'verified' } });
    expect(await call(again, 'get_state', { device: 'ac' })).toMatchObject(now);
    expect(await status(second.url, '/readyz')).toMatchObject({ code: 503 });
    expect(await untilRefused(again)).toMatchObject({ error: 'store_unavailable' });

    rmSync(filler());
    await expect.poll(async () => (await status(second.url, '/readyz')).code, { timeout: 60_000 }).toBe(200);
    expect(await settled(again, await submit(again, 24))).toMatchObject({ status: 'completed' });
  });
});

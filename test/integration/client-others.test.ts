import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { yesOrNo } from '../../gateway/client/questions.ts';
import { type FixtureServer, startFixtureServer } from '../../scripts/conformance/fixture-server.ts';
import { ClientBench, tool } from '../support/client-bench.ts';

// The examples are programs of their own, which take a while to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const EXAMPLES = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server', import.meta.url),
);

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function clientOf(url: string): ClientBench {
  const bench = new ClientBench(() => url);
  undo.push(() => bench.client.close());
  return bench;
}

/** An example server of the SDK, as it is published, in a process of its own. */
async function startExample(script: string, variable: string): Promise<string> {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [join(EXAMPLES, script)], {
    env: { ...process.env, [variable]: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  undo.push(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  if (child.stdout) await Promise.race([once(child.stdout, 'data'), closed]);
  return `http://127.0.0.1:${port}/mcp`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const result = { outcome: { type: 'result', isError: false } };

describe('the client at servers of 2025-11-25 that others wrote', () => {
  it('has a tool answer at once, and follows a task to its result', async () => {
    const bench = clientOf(await startExample('simpleStreamableHttp.js', 'MCP_PORT'));
    const greeting = await bench.wish(tool('greet', { name: 'Anna' }));
    expect(await bench.client.ended(greeting.id)).toMatchObject({ ...result, text: 'Hello, Anna!' });
    const task = await bench.wish(tool('delay', { duration: 300 }));
    expect(await bench.client.ended(task.id)).toMatchObject(result);
    expect(bench.stages(task)).toEqual(['wished', 'calling', 'following', 'ended']);
  });

  it('puts the question of a task to its person, and brings the answer', async () => {
    const bench = clientOf(await startExample('simpleTaskInteractive.js', 'PORT'));
    const wish = await bench.wish(tool('confirm_delete', { filename: 'notes.txt' }));
    const { key, form } = await bench.question(wish);
    expect(form.message).toContain('notes.txt');
    await bench.client.answer(wish.id, key, yesOrNo(form, true) ?? { action: 'cancel' });
    expect(await bench.client.ended(wish.id)).toMatchObject({ ...result, text: "Deleted 'notes.txt'" });
  });
});

describe("the client at the conformance suite's fixtures, which tell nothing by themselves", () => {
  const fixtures = async (): Promise<FixtureServer> => {
    const server = await startFixtureServer();
    undo.push(() => server.close());
    return server;
  };

  it('has a tool answer at once, follows a task by asking, and has one cancelled', async () => {
    const bench = clientOf((await fixtures()).url);
    const greeting = await bench.wish(tool('greet', { name: 'Anna' }));
    expect(await bench.client.ended(greeting.id)).toMatchObject({ ...result, text: 'Hello, Anna!' });
    const slow = await bench.wish(tool('slow_compute', { seconds: 0.2 }));
    expect(await bench.client.ended(slow.id)).toMatchObject(result);
    const endless = await bench.wish(tool('slow_compute', { seconds: 600 }));
    await bench.task(endless);
    await bench.client.cancel(endless.id);
    expect(await bench.client.ended(endless.id)).toMatchObject({ outcome: { type: 'cancelled' } });
  });

  it('answers two questions of one task, the second first', async () => {
    const bench = clientOf((await fixtures()).url);
    const wish = await bench.wish(tool('multi_input'));
    await bench.question(wish);
    for (const { wishId, key } of bench.client.questions().toReversed()) {
      await bench.client.answer(wishId, key, { action: 'accept', content: { name: 'Anna' } });
    }
    expect(await bench.client.ended(wish.id)).toMatchObject(result);
    expect(bench.events.filter(({ type }) => type === 'question')).toHaveLength(2);
  });
});

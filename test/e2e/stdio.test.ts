import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Daemons } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

const CLI = fileURLToPath(new URL('../../dist/gateway/cli.js', import.meta.url));

let daemons: Daemons;

beforeEach(() => {
  daemons = new Daemons();
});

afterEach(async () => {
  await daemons.close();
});

const command = (...args: string[]) => ({
  command: process.execPath,
  args: [CLI, 'stdio', '--data', daemons.path('data'), ...args],
});

/** Runs the bridge on this input to its end. */
async function piped(input: string, ...args: string[]) {
  const { command: node, args: all } = command(...args);
  const child = spawn(node, all);
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return {
    code,
    stderr,
    messages: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('readback stdio', () => {
  it('serves the official client of 2026-07-28: verdicts, and the stream of what happens', async () => {
    await daemons.gateway(await daemons.simulator(200));
    const client = new Client({ name: 'piped', version: '0' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StdioClientTransport({ ...command(), stderr: 'ignore' });
    const faults: Error[] = [];
    client.onerror = (error) => faults.push(error);
    await client.connect(transport);
    expect(client.getProtocolEra()).toBe('modern');
    const { structuredContent } = await client.callTool({ name: 'set_climate', arguments: { target_temperature: 24 } });
    expect(structuredContent).toMatchObject({ verdict: 'verified' });
    await client.close();
    expect(faults).toEqual([]);
  });

  it('serves the client before it, which has a session with the daemon', async () => {
    await daemons.gateway(await daemons.simulator(200));
    const client = new OlderClient({ name: 'piped', version: '0' });
    const transport = new OlderTransport({ ...command(), stderr: 'ignore' });
    const faults: Error[] = [];
    client.onerror = (error) => faults.push(error);
    await client.connect(transport as Parameters<OlderClient['connect']>[0]);
    const answer = await client.callTool({ name: 'set_climate', arguments: { target_temperature: 23 } });
    expect(answer.structuredContent).toMatchObject({ verdict: 'verified' });
    expect((await client.experimental.tasks.listTasks()).tasks).toHaveLength(1);
    await client.close();
    expect(faults).toEqual([]);
  });

  it('answers what it was asked before its input ended, prints nothing else, and exits with 0', async () => {
    await daemons.gateway(await daemons.simulator(0));
    const { code, messages, stderr } = await piped(
      `${line({ id: 'a', method: 'server/discover', params: { _meta: envelope } })}no JSON\n`,
    );
    expect(code).toBe(0);
    expect(messages).toHaveLength(2);
    expect(messages).toContainEqual(expect.objectContaining({ id: 'a', result: expect.anything() }));
    expect(messages).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
    );
    expect(stderr).toMatch(/^readback: serving http:\/\/127\.0\.0\.1:\d+ over standard input and output\n$/);
  });

  it('says in one line that no gateway runs', async () => {
    const { code, messages, stderr } = await piped('');
    expect({ code, messages }).toEqual({ code: 1, messages: [] });
    expect(stderr).toMatch(/^readback: no gateway runs on [^\n]*\n$/);
  });

  it('starts the demo where none runs, once for two that come together', async () => {
    const args = ['--demo', '--simulator-port', '0'];
    const clients = await Promise.all(
      [1, 2].map(async (each) => {
        const client = new Client({ name: `piped-${each}`, version: '0' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new StdioClientTransport({ ...command(...args), stderr: 'ignore' }));
        return client;
      }),
    );
    for (const client of clients) expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    await Promise.all(clients.map((client) => client.close()));
    await expect.poll(() => existsSync(daemons.path('data/daemon.json')), { timeout: 10_000 }).toBe(false);
  });
});

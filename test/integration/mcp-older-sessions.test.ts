import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../support/mcp-gateway.ts';
import { connectOlderClient } from '../support/older-client.ts';
import { type RawAnswer, rawHeaders, readAnswer } from '../support/raw-rpc.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const SESSION = 'mcp-session-id';

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
});

afterEach(async () => {
  await gateway.close();
});

async function startAgain(options: TestGatewayOptions): Promise<void> {
  await gateway.close();
  gateway = await startGateway(options);
}

const send = (message: object, headers: Record<string, string> = {}) =>
  fetch(gateway.url, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

/** Begins a session. @returns its id */
async function initialize(protocolVersion = '2025-11-25', capabilities: object = {}): Promise<string> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '0' } };
  const response = await send({ id: 0, method: 'initialize', params });
  expect((await readAnswer(response)).body.result.protocolVersion).toBe(protocolVersion);
  return String(response.headers.get(SESSION));
}

const listTools = async (headers: Record<string, string>): Promise<RawAnswer> =>
  readAnswer(await send({ id: 1, method: 'tools/list' }, headers));

const stream = (id: string) => fetch(gateway.url, { headers: { accept: 'text/event-stream', [SESSION]: id } });

/** Opens the stream once the gateway has noticed that the one before is gone. */
async function reopen(id: string): Promise<Response> {
  let response = await stream(id);
  await expect
    .poll(async () => {
      if (response.status !== 200) response = await stream(id);
      return response.status;
    })
    .toBe(200);
  return response;
}

describe('a session', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('begins with initialize of %s', async (version) => {
    const id = await initialize(version);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const { body } = await listTools({ [SESSION]: id, 'mcp-protocol-version': version });
    expect(body.result.tools).toHaveLength(5);
  });

  it('is not needed: a client that keeps none is served request by request', async () => {
    await initialize();
    const { status, body } = await listTools({ 'mcp-protocol-version': '2025-11-25' });
    expect(status).toBe(200);
    expect(body.result.tools).toHaveLength(5);
    const call = {
      id: 2,
      method: 'tools/call',
      params: { name: 'set_climate', arguments: { target_temperature: 99 } },
    };
    expect((await readAnswer(await send(call))).body.result.structuredContent).toMatchObject({ verdict: 'rejected' });
  });

  it('that is not known is 404, so that the client begins a new one', async () => {
    const { status, body } = await listTools({ [SESSION]: 'nobody-knows-me' });
    expect(status).toBe(404);
    expect(body).toMatchObject({ jsonrpc: '2.0', error: { code: -32_001 } });
  });

  it('means nothing to a client of 2026-07-28, whatever header it sends', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { ...rawHeaders('tools/list'), [SESSION]: 'stray' };
    const { body } = await readAnswer(await send({ id: 1, method: 'tools/list', params: { _meta } }, headers));
    expect(body.result.tools).toHaveLength(5);
  });

  it('ends with DELETE', async () => {
    const id = await initialize();
    const ended = await fetch(gateway.url, { method: 'DELETE', headers: { [SESSION]: id } });
    expect(ended.status).toBe(200);
    expect((await listTools({ [SESSION]: id })).status).toBe(404);
  });

  it('ends when nothing is heard from its client, but not while it listens', async () => {
    await startAgain({ sessionIdleMs: 100 });
    const [quiet, listening] = [await initialize(), await initialize()];
    const open = await stream(listening);
    await expect
      .poll(async () => (await listTools({ [SESSION]: quiet })).status, { interval: 400, timeout: 10_000 })
      .toBe(404);
    expect((await listTools({ [SESSION]: listening })).status).toBe(200);
    await open.body?.cancel();
  });

  it('gives way where there are too many: the one that was used longest ago', async () => {
    await startAgain({ maxSessions: 2 });
    const [first, second] = [await initialize(), await initialize()];
    await listTools({ [SESSION]: first });
    const third = await initialize();
    const statuses = await Promise.all([first, second, third].map((id) => listTools({ [SESSION]: id })));
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 200]);
  });

  it('has one stream for what the gateway says by itself, which ends when the gateway stops', async () => {
    const id = await initialize();
    const open = await stream(id);
    expect(open.headers.get('content-type')).toContain('text/event-stream');
    expect((await stream(id)).status).toBe(409);
    await open.body?.cancel();
    const reopened = await reopen(id);
    await gateway.close();
    expect(await reopened.text()).toBe(': open\n\n');
    gateway = await startGateway();
  });

  it('is not opened by what is no initialize', async () => {
    const { status, body } = await readAnswer(await send({ id: 1, method: 'initialize', params: {} }));
    expect(status).toBeLessThan(500);
    expect(body.error).toBeDefined();
    expect(gateway.errors).toEqual([]);
  });

  it('keeps what a call of another session asks to itself', async () => {
    const asked: string[] = [];
    const [one, other] = [
      await connectOlderClient(gateway.url, ({ message }) => {
        asked.push(`one: ${message}`);
        return { action: 'decline' };
      }),
      await connectOlderClient(gateway.url, ({ message }) => {
        asked.push(`other: ${message}`);
        return { action: 'decline' };
      }),
    ];
    await other.call('set_climate', { target_temperature: 30 });
    expect(asked).toEqual(['other: Set Living-room AC: target_temperature to 30 °C?']);
    await one.close();
    await other.close();
  });
});

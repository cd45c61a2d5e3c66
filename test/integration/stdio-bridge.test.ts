import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bridge } from '../../gateway/client/bridge.ts';
import { IDEMPOTENCY_KEY } from '../../gateway/mcp/idempotency-key.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { TASK_CLIENT } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on whatever the wire carries
type Message = any;

/** A client at the other end of a bridge. */
class PipeClient {
  readonly messages: Message[] = [];
  readonly notices: string[] = [];
  readonly bridge: Bridge;
  readonly #waiting = new Set<() => void>();

  constructor(locate: () => Promise<{ url: string; token?: string }>) {
    this.bridge = new Bridge({
      locate,
      toClient: (message) => {
        this.messages.push(message);
        for (const look of this.#waiting) look();
      },
      onNotice: (notice) => this.notices.push(notice),
    });
  }

  send(message: object): void {
    this.bridge.fromClient(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** The first message that fits, now or later. */
  got(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.messages.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** A request of 2026-07-28, and its answer. */
  async ask(id: string | number, method: string, params: object = {}): Promise<Message> {
    this.send(modern(id, method, params));
    return this.got((message) => message.id === id);
  }

  /** A request of 2025-11-25, and its answer. */
  async askOlder(id: string | number, method: string, params: object = {}): Promise<Message> {
    this.send({ id, method, params });
    return this.got((message) => message.id === id);
  }

  async beginSession(): Promise<void> {
    const clientInfo = { name: 'piped', version: '0' };
    await this.askOlder('init', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.send({ method: 'notifications/initialized' });
  }
}

function modern(id: string | number, method: string, params: object, meta: object = {}): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'piped', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': TASK_CLIENT,
    ...meta,
  };
  return { id, method, params: { ...params, _meta } };
}

let gateway: TestGateway;
let client: PipeClient;

beforeEach(async () => {
  gateway = await startGateway();
  client = new PipeClient(async () => ({ url: gateway.url }));
});

afterEach(async () => {
  await client.bridge.end();
  await gateway.close();
});

async function startTask(): Promise<string> {
  const { result } = await client.ask('call', 'tools/call', {
    name: 'set_climate',
    arguments: { target_temperature: 24 },
  });
  return result.taskId;
}

describe('protocol 2026-07-28 over a pipe', () => {
  it('gets its answers, each to its request, whatever the ids are', async () => {
    const [first, second] = await Promise.all([client.ask(7, 'server/discover'), client.ask('x', 'tools/list')]);
    expect(first.result.supportedVersions).toContain('2026-07-28');
    expect(second.result.tools.length).toBeGreaterThan(3);
    const taskId = await startTask();
    expect((await client.ask('get', 'tasks/get', { taskId })).result.status).toBe('working');
  });

  it('names its call by a key as it could over HTTP, and is told that keys are honoured', async () => {
    const { result } = await client.ask('can', 'server/discover');
    expect(result.capabilities.extensions).toMatchObject({ [IDEMPOTENCY_KEY]: {} });
    const key = '2f6d1c1e-9d0b-4f6f-8f0e-3b5c6c7d8e9f';
    const call = { name: 'set_climate', arguments: { power: 'on' } };
    client.send(modern('call', 'tools/call', call, { [IDEMPOTENCY_KEY]: key }));
    await client.got((message) => message.id === 'call');
    expect(gateway.commands.wishes).toMatchObject([{ key }]);
  });

  it('gets the errors of the protocol, which carry its ids', async () => {
    expect((await client.ask(1, 'no/such')).error.code).toBe(-32601);
    expect((await client.ask(2, 'tasks/get', { taskId: 'none' })).error.code).toBe(-32602);
    client.bridge.fromClient('{"jsonrpc": ');
    expect((await client.got((message) => message.id === null)).error.code).toBe(-32700);
    const long = 'x'.repeat(1_200_000);
    const { error } = await client.ask(3, 'tools/call', { name: 'get_state', arguments: { device: long } });
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('too large') });
  });

  it('listens, hears every change, and stops to listen by taking the request back', async () => {
    const taskId = await startTask();
    client.send(modern('listen', 'subscriptions/listen', { notifications: { taskIds: [taskId] } }));
    await client.got(({ method }) => method === 'notifications/subscriptions/acknowledged');
    gateway.commands.send(taskId);
    await client.got(({ params }) => params?.statusMessage?.includes('24') && params.status === 'working');
    client.send({ method: 'notifications/cancelled', params: { requestId: 'listen' } });
    const heard = client.messages.length;
    gateway.commands.read(taskId, { target_temperature: 24 });
    await client.ask('later', 'server/discover');
    expect(client.messages.slice(heard)).toEqual([expect.objectContaining({ id: 'later' })]);
  });

  it('that is in the middle of a stream at its end is let go', async () => {
    const taskId = await startTask();
    client.send(modern('listen', 'subscriptions/listen', { notifications: { taskIds: [taskId] } }));
    await client.got(({ method }) => method === 'notifications/subscriptions/acknowledged');
    await client.bridge.end();
  });
});

describe('protocol 2025-11-25 over a pipe', () => {
  it('has a session without knowing it, which ends with the pipe', async () => {
    await client.beginSession();
    expect((await client.askOlder(1, 'tools/list')).result.tools.length).toBeGreaterThan(3);
    expect((await client.askOlder(2, 'tasks/list')).result.tasks).toEqual([]);
    await client.bridge.end();
  });

  it('goes on when the gateway has forgotten the session', async () => {
    await client.beginSession();
    await gateway.close();
    gateway = await startGateway();
    expect((await client.askOlder(1, 'tasks/list')).result.tasks).toEqual([]);
    expect(client.notices.join()).toContain('begun anew');
    expect(client.messages.filter(({ id }) => String(id).startsWith('readback'))).toEqual([]);
  });
});

describe('a gateway that', () => {
  it('is not there is an answer, and one that comes back is found', async () => {
    await client.ask(1, 'server/discover');
    await gateway.close();
    expect((await client.ask(2, 'server/discover')).error.message).toMatch(/cannot be reached.*ECONNREFUSED/);
    gateway = await startGateway();
    expect((await client.ask(3, 'server/discover')).result).toBeDefined();
  });

  it('breaks off says that the command may have been sent', async () => {
    const server: Server = createServer((req) => req.socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const other = new PipeClient(async () => ({ url: `http://127.0.0.1:${port}/mcp` }));
    expect((await other.ask(1, 'tools/list')).error.message).toMatch(/may have been done/);
    server.close();
  });

  it('is none says so', async () => {
    const server: Server = createServer((_req, res) => res.end('<html>Hello</html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const other = new PipeClient(async () => ({ url: `http://127.0.0.1:${port}/mcp` }));
    expect((await other.ask(1, 'tools/list')).error.message).toMatch(/cannot be reached/);
    server.close();
  });

  it('asks for a token is shown the one that was found last, and says so where it does not know it', async () => {
    await gateway.close();
    gateway = await startGateway({ tokens: [tokenRecord('anna', 'control')] });
    const tokens = ['stale', tokenOf('anna')];
    const other = new PipeClient(async () => ({ url: gateway.url, token: tokens.shift() ?? 'none' }));
    expect((await other.ask(1, 'tools/list')).error.message).toMatch(/--token or READBACK_TOKEN/);
    expect((await other.ask(2, 'tools/list')).result.tools.length).toBeGreaterThan(3);
    await other.bridge.end();
  });
});

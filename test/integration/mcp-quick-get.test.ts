import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Router } from 'express';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccess } from '../../gateway/http/access.ts';
import { createHandler } from '../../gateway/http/app.ts';
import { type Listener, listen } from '../../gateway/http/listen.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { createMcpEndpoint, type McpEndpoint } from '../../gateway/mcp/endpoint.ts';
import { homeOffer } from '../../gateway/mcp/home-offer.ts';
import { createServerFactory } from '../../gateway/mcp/server-factory.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { FakeCommands } from '../support/fake-commands.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const INFO = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const TASKS = { 'io.modelcontextprotocol/tasks': {} };

const commands = new FakeCommands([withApproval(DEMO_AC), DEMO_FAN]);
const about = { name: 'readback', version: '0.0.0-test', onError: () => undefined, onRejected: () => undefined };
const taskIds: Record<string, string> = {};

/** The gateway, and the same offer served by the SDK alone. */
let gateway: Listener;
let plain: Listener;

beforeAll(async () => {
  const options = { ...about, commands, clock: commands.clock };
  gateway = await open(createMcpEndpoint(options));
  const offer = homeOffer(options)(new AbortController().signal);
  const handler = createMcpHandler(createServerFactory({ ...about, offer }), { legacy: 'stateless' });
  plain = await open({ handle: toNodeHandler(handler) });

  const make = async (set: object, principal = 'local') =>
    (await commands.submit({ deviceId: DEMO_AC.id, set: { ...set }, principal })).taskId;
  taskIds.working = await make({ power: 'on' });
  commands.send(taskIds.working);
  taskIds.asking = await make({ target_temperature: 30 });
  taskIds.verified = await make({ power: 'on' });
  commands.send(taskIds.verified);
  commands.read(taskIds.verified, { power: 'on' });
  taskIds.rejected = await make({ power: 'sideways' });
  taskIds.cancelled = await make({ power: 'on' });
  commands.apply(taskIds.cancelled, { type: 'cancelled' });
  taskIds.failed = await make({ power: 'on' });
  commands.apply(taskIds.failed, { type: 'failed', message: 'the store is full' });
  taskIds.foreign = await make({ power: 'on' }, 'somebody else');
});

afterAll(async () => {
  await gateway.close();
  await plain.close();
});

function open(mcp: Pick<McpEndpoint, 'handle'>): Promise<Listener> {
  const app = createHandler({
    ...about,
    mcp,
    api: Router(),
    access: createAccess(new Tokens({ configured: [] })),
    host: '127.0.0.1',
  });
  return listen(app, { host: '127.0.0.1', port: 0 });
}

interface Sent {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** By hand: `fetch` would put its own headers right. */
async function send(to: Listener, { method, headers, body }: Sent): Promise<Answer> {
  const request = httpRequest(`${to.url}/mcp`, { method, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const meta = (changes: object = {}) => ({
  [VERSION]: '2026-07-28',
  [INFO]: { name: 'raw', version: '0' },
  [CAPABILITIES]: { elicitation: {}, extensions: TASKS },
  ...changes,
});

function question(taskId: unknown): Sent {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tasks/get',
      'mcp-name': String(taskId),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId, _meta: meta() } }),
  };
}

/** One of these, most often the first, which is right. */
const mostly = <T>(right: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(right) }, { weight: 2, arbitrary: fc.constantFrom(right, ...others) });

const without = Symbol('left out');

const ids = () => Object.values(taskIds);
const anyId = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 5 }).map((index) => ids()[index] as unknown) },
  {
    weight: 2,
    arbitrary: fc.nat({ max: 8 }).map((index) => {
      const odd = [
        taskIds.foreign,
        'nobody-knows-me',
        '',
        'x'.repeat(10_000),
        7,
        null,
        ['a'],
        '=?base64?eA==?=',
        without,
      ];
      return odd[index];
    }),
  },
);

const anyMeta = mostly<unknown>(
  meta(),
  without,
  null,
  'none',
  {},
  meta({ [VERSION]: '2025-11-25' }),
  meta({ [VERSION]: '2099-01-01' }),
  meta({ [VERSION]: 7 }),
  meta({ [CAPABILITIES]: {} }),
  meta({ [CAPABILITIES]: undefined }),
  meta({ [CAPABILITIES]: { extensions: TASKS } }),
  meta({ [CAPABILITIES]: { extensions: TASKS, elicitation: { url: {} } } }),
  meta({ [CAPABILITIES]: { extensions: TASKS, elicitation: 'yes' } }),
  meta({ [CAPABILITIES]: { extensions: [] } }),
  meta({ [CAPABILITIES]: { extensions: { 'io.modelcontextprotocol/tasks': null } } }),
  meta({ [INFO]: undefined }),
  meta({ [INFO]: 'raw' }),
  meta({ progressToken: 5 }),
  meta({ progressToken: {} }),
  meta({ 'io.modelcontextprotocol/logLevel': 'loud' }),
  meta({ somethingElse: [1, 2] }),
);

const anyHeader = (right: string, ...wrong: string[]) =>
  mostly<string | string[] | typeof without>(right, without, ` ${right}\t`, [right, right], '', ...wrong);

const anyRequest = fc
  .record({
    taskId: anyId,
    _meta: anyMeta,
    name: mostly<unknown>('same', without, 'other', 'padded', 'encoded', 'badly encoded'),
    extra: mostly<object>({}, { more: 1 }, { inputResponses: {} }, { inputResponses: 5 }, { requestState: 'x' }),
    jsonrpc: mostly<unknown>('2.0', '1.0', without),
    id: mostly<unknown>(1, 'a', '', 1.5, null, {}, without),
    rpcMethod: mostly('tasks/get', 'tasks/GET', 'tasks/list', 'tasks/cancel', ''),
    method: mostly('POST', 'PUT', 'GET', 'DELETE'),
    contentType: anyHeader('application/json', 'application/json; charset=utf-8', 'text/plain', 'APPLICATION/JSON'),
    accept: anyHeader('application/json, text/event-stream', '*/*', 'application/json', 'text/html'),
    version: anyHeader('2026-07-28', '2025-11-25', '2099-01-01'),
    methodHeader: anyHeader('tasks/get', 'tasks/cancel', 'Tasks/Get'),
    wrapped: mostly(false, true),
  })
  .map((parts): Sent => {
    const { taskId, _meta, name, extra, wrapped } = parts;
    const present = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, is]) => is !== without));
    const params = present({ taskId, _meta, ...extra });
    const message = present({ jsonrpc: parts.jsonrpc, id: parts.id, method: parts.rpcMethod, params });
    return {
      method: parts.method,
      headers: present({
        'content-type': parts.contentType,
        accept: parts.accept,
        'mcp-protocol-version': parts.version,
        'mcp-method': parts.methodHeader,
        'mcp-name': nameHeader(String(name), typeof taskId === 'string' ? taskId : 'x'),
      }) as OutgoingHttpHeaders,
      body: JSON.stringify(wrapped ? [message] : message),
    };
  });

function nameHeader(kind: string, taskId: string): string | typeof without {
  switch (kind) {
    case 'same':
      return taskId;
    case 'other':
      return 'another-task';
    case 'padded':
      return ` ${taskId} `;
    case 'encoded':
      return `=?base64?${Buffer.from(taskId).toString('base64')}?=`;
    case 'badly encoded':
      return '=?base64?%%%?=';
    default:
      return without;
  }
}

describe('the short way of tasks/get', () => {
  it('is taken by a request in which nothing is wrong', async () => {
    for (const taskId of ids().slice(0, 6)) {
      const [short, long] = [await send(gateway, question(taskId)), await send(plain, question(taskId))];
      expect(short.body).toBe(long.body);
      expect(short.status).toBe(200);
      // The SDK sends its answers in chunks.
      expect(short.headers['content-length']).toBeDefined();
      expect(long.headers['content-length']).toBeUndefined();
    }
  });

  it.each(['nobody-knows-me', 'foreign'])('is not taken for a task that the caller does not know: %s', async (name) => {
    const sent = question(taskIds[name] ?? name);
    const [short, long] = [await send(gateway, sent), await send(plain, sent)];
    expect(short.headers['content-length']).toBeUndefined();
    expect(short.body).toBe(long.body);
    expect(JSON.parse(short.body).error.code).toBe(-32602);
  });

  it('gives the answer of the SDK to any request, good or bad', async () => {
    let taken = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest, async (sent) => {
        const [short, long] = [await send(gateway, sent), await send(plain, sent)];
        expect({ status: short.status, type: short.headers['content-type'], body: short.body }).toEqual({
          status: long.status,
          type: long.headers['content-type'],
          body: long.body,
        });
        if (short.headers['content-length'] !== long.headers['content-length']) taken += 1;
        if (short.status !== 200 || short.body.includes('"error"')) refused += 1;
      }),
      { numRuns: 400 },
    );
    expect(taken).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(100);
  }, 60_000);

  it('lets nobody past the doors: a foreign name, a page of another site', async () => {
    const sent = question(taskIds.working);
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      expect((await send(gateway, { ...sent, headers: { ...sent.headers, ...headers } })).status).toBe(403);
    }
  });
});

it('asks for the token first, and tells each principal of its own tasks only', async () => {
  const tokens = ['anna', 'bert'].map((name) => ({
    name,
    sha256: sha256(`token-of-${name}`),
    scopes: ['control'] as const,
  }));
  const mcp = createMcpEndpoint({ ...about, commands, clock: commands.clock });
  const access = createAccess(new Tokens({ configured: tokens }));
  const guarded = await listen(createHandler({ ...about, mcp, api: Router(), access, host: '127.0.0.1' }), {
    host: '127.0.0.1',
    port: 0,
  });
  const { taskId } = await commands.submit({ deviceId: DEMO_FAN.id, set: { power: 'on' }, principal: 'anna' });
  const ask = async (token?: string) => {
    const sent = question(taskId);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return send(guarded, { ...sent, headers: { ...sent.headers, ...authorization } });
  };
  expect((await ask()).status).toBe(401);
  expect((await ask('forged')).status).toBe(401);
  expect(JSON.parse((await ask('token-of-bert')).body).error.code).toBe(-32602);
  expect(JSON.parse((await ask('token-of-anna')).body).result.taskId).toBe(taskId);
  await mcp.close();
  await guarded.close();
});

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

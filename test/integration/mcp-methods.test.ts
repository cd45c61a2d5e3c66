import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allScopes, SCOPES, type Scope } from '../../gateway/domain/principal.ts';
import { homeOffer } from '../../gateway/mcp/home-offer.ts';
import { createServerFactory } from '../../gateway/mcp/server-factory.ts';
import { DEMO_AC, withApproval } from '../support/demo-devices.ts';
import { FakeCommands } from '../support/fake-commands.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { connectOlderClient } from '../support/older-client.ts';
import { bearer, rawCall, rawRpc, readAnswer, TASK_CLIENT } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

/** Every method of MCP that is answered, and the scope that it needs. What a call needs depends on the tool. */
const METHODS: Readonly<Record<'modern' | 'legacy', Readonly<Record<string, Scope>>>> = {
  modern: {
    'server/discover': 'read',
    initialize: 'read',
    ping: 'read',
    'subscriptions/listen': 'read',
    'tools/list': 'read',
    'tools/call': 'read',
    'resources/list': 'read',
    'resources/templates/list': 'read',
    'resources/read': 'read',
    'tasks/get': 'read',
    'tasks/update': 'control',
    'tasks/cancel': 'control',
  },
  legacy: {
    initialize: 'read',
    ping: 'read',
    'tools/list': 'read',
    'tools/call': 'read',
    'resources/list': 'read',
    'resources/templates/list': 'read',
    'resources/read': 'read',
    'tasks/get': 'read',
    'tasks/list': 'read',
    'tasks/result': 'read',
    'tasks/cancel': 'control',
  },
};

/** As much of the SDK's server as is looked at here; it tells its methods to nobody. */
const handlersSchema = z.object({ _requestHandlers: z.map(z.string(), z.unknown()) });

let gateway: TestGateway;

beforeAll(async () => {
  const tokens = SCOPES.map((scope) => tokenRecord(scope, scope));
  gateway = await startGateway({ specs: [withApproval(DEMO_AC)], tokens, inlineWaitMs: 1 });
});

afterAll(() => gateway.close());

function paramsOf(method: string): Record<string, unknown> {
  if (method.startsWith('tasks/')) return { taskId: 'unknown' };
  return method === 'tools/call' ? { name: 'get_state' } : { uri: 'readback://verdicts', notifications: {} };
}

/** What comes back of a request without a session. */
async function older(method: string, token: string) {
  const headers = {
    ...bearer(token),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: paramsOf(method) });
  return readAnswer(await fetch(gateway.url, { method: 'POST', headers, body }));
}

const cases = (['modern', 'legacy'] as const).flatMap((era) =>
  Object.entries(METHODS[era]).map(([method, needed]) => ({ era, method, needed })),
);

describe('the methods of MCP', () => {
  it.each(['modern', 'legacy'] as const)('are all in this table: %s', async (era) => {
    const commands = new FakeCommands([DEMO_AC]);
    const offer = homeOffer({ commands, clock: commands.clock })(new AbortController().signal);
    const server = await createServerFactory({ name: 'readback', version: '0', offer, onError: () => {} })({ era });
    const inner = server instanceof McpServer ? server.server : server;
    const { _requestHandlers } = handlersSchema.parse({ ...inner });
    expect(Object.keys(METHODS[era])).toEqual(expect.arrayContaining([..._requestHandlers.keys()]));
  });

  it.each(cases)('$method ($era) answers for its scope alone', async ({ era, method, needed }) => {
    for (const scope of SCOPES) {
      const token = tokenOf(scope);
      const options = { capabilities: TASK_CLIENT, token };
      const ask = () =>
        era === 'modern' ? rawRpc(gateway.url, method, paramsOf(method), options) : older(method, token);
      const { status, body } = await ask();
      const refused = status === 403 || body.error?.data?.error === 'not_allowed';
      expect(refused, scope).toBe(!allScopes([scope]).includes(needed));
    }
  });
});

describe('a token that was lowered to reading', () => {
  const DELICATE = { target_temperature: 30 };

  it('neither answers the question of its own command nor cancels it, whatever the protocol', async () => {
    const { taskId } = await gateway.commands.submit({ deviceId: DEMO_AC.id, set: DELICATE, principal: 'read' });
    const options = { capabilities: TASK_CLIENT, token: tokenOf('read') };
    const inputResponses = { approval: { action: 'accept', content: { approve: true } } };
    const answered = await rawRpc(gateway.url, 'tasks/update', { taskId, inputResponses }, options);
    expect(answered.body.error).toMatchObject({
      code: -32_600,
      message: 'tasks/update needs the scope control; the token of "read" has: read. Nothing was sent.',
    });
    expect((await rawRpc(gateway.url, 'tasks/cancel', { taskId }, options)).body.error.code).toBe(-32_600);
    expect((await rawCall(gateway.url, 'cancel_task', { task_id: taskId }, options)).body.result.isError).toBe(true);
    let questions = 0;
    const client = await connectOlderClient(
      gateway.url,
      () => {
        questions += 1;
        return { action: 'accept', content: { approve: true } };
      },
      tokenOf('read'),
    );
    const { tasks } = client.client.experimental;
    await expect(tasks.cancelTask(taskId)).rejects.toThrow(/needs the scope control/);
    const result = tasks.getTaskResult(taskId).catch(() => undefined);
    // Another request that is answered: whatever the first one asks was asked before.
    await tasks.getTask(taskId);
    expect(questions).toBe(0);
    expect((await gateway.commands.get(taskId, 'read'))?.phase).toBe('awaiting_approval');
    // Nor is the question shown to it as if it could answer.
    const { body } = await rawRpc(gateway.url, 'tasks/get', { taskId }, options);
    expect(body.result).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('readback approve'),
    });
    await gateway.commands.answer(taskId, 'read', { approved: false, by: 'owner', through: 'cli' });
    await result;
    await client.close();
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerApproval, listApprovals } from '../../gateway/commands/approvals.ts';
import { StartError } from '../../gateway/domain/errors.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { connectOlderClient } from '../support/older-client.ts';
import { rawListen } from '../support/raw-listen.ts';
import { bearer, rawCall, rawRpc, readAnswer, TASK_CLIENT } from '../support/raw-rpc.ts';
import { HOUSEHOLD, tokenOf } from '../support/tokens.ts';

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({
    specs: [withApproval(DEMO_AC), DEMO_FAN],
    tokens: HOUSEHOLD,
  });
});

afterEach(async () => {
  expect(gateway.errors).toEqual([]);
  await gateway.close();
});

const as = (name: string, capabilities: object = TASK_CLIENT) => ({ token: tokenOf(name), capabilities });

/** Anna's command; 30 degrees need a person's yes. */
async function annasTask(temperature = 24): Promise<string> {
  const { body } = await rawCall(gateway.url, 'set_climate', { target_temperature: temperature }, as('anna'));
  return body.result.taskId;
}

const toolNames = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe('a token', () => {
  it.each([
    ['none', {}],
    ['an unknown one', { authorization: 'Bearer guess' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another kind of credentials', { authorization: `Basic ${tokenOf('anna')}` }],
  ])('is asked for: %s is answered with 401, a challenge and JSON', async (_, headers) => {
    for (const [path, method] of [
      ['/mcp', 'POST'],
      ['/mcp', 'GET'],
      ['/mcp', 'DELETE'],
      ['/api/approvals', 'GET'],
    ] as const) {
      const response = await fetch(`${gateway.origin}${path}`, { method, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
      expect(await response.json()).toMatchObject({ error: 'invalid_token' });
    }
  });

  it('is asked for before a body is read, and never by the health check', async () => {
    const body = 'x'.repeat(400_000);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(gateway.url, { method: 'POST', headers, body })).status).toBe(401);
    expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
  });

  it('that may only approve is not let in to MCP: 403 and the scope that is missing', async () => {
    const response = await fetch(gateway.url, { method: 'POST', headers: bearer(tokenOf('judge')) });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="read"/);
  });
});

describe('a token that may only read', () => {
  it('is shown the tools that it may call', async () => {
    const { body } = await rawRpc(gateway.url, 'tools/list', {}, as('kiosk'));
    expect(toolNames(body.result.tools)).toEqual(['get_state', 'get_task']);
    const older = await connectOlderClient(gateway.url, undefined, tokenOf('kiosk'));
    expect(toolNames((await older.client.listTools()).tools)).toEqual(['get_state', 'get_task']);
    await older.close();
  });

  it('is refused the others in one clear line, and nothing is sent', async () => {
    const { body } = await rawCall(gateway.url, 'set_climate', { target_temperature: 24 }, as('kiosk'));
    expect(body.result).toMatchObject({ isError: true, structuredContent: { ok: false, error: 'not_allowed' } });
    expect(body.result.content[0].text).toMatch(/set_climate needs the scope control; .*"kiosk" has: read/);
    const older = await connectOlderClient(gateway.url, undefined, tokenOf('kiosk'));
    expect(await older.call('set_fan', { power: 'on' })).toMatchObject({ isError: true });
    await older.close();
    expect(gateway.commands.wishes).toEqual([]);
  });

  it('reads what a token with more scopes reads', async () => {
    for (const name of ['kiosk', 'anna', 'owner']) {
      const { body } = await rawCall(gateway.url, 'get_state', {}, as(name));
      expect(body.result.structuredContent.devices).toHaveLength(2);
    }
  });
});

describe('a task', () => {
  it('belongs to the principal of its token', async () => {
    const taskId = await annasTask();
    expect((await gateway.commands.get(taskId, 'anna'))?.principal).toBe('anna');
    const { body } = await rawRpc(gateway.url, 'tasks/get', { taskId }, as('anna'));
    expect(body.result.status).toBe('working');
  });

  it('of somebody else is not found by the extension, whatever is tried', async () => {
    const taskId = await annasTask(30);
    const inputResponses = { approval: { action: 'accept', content: { approve: true } } };
    for (const name of ['ben', 'owner']) {
      for (const [method, params] of [
        ['tasks/get', {}],
        ['tasks/update', { inputResponses }],
        ['tasks/cancel', {}],
      ] as const) {
        const foreign = await rawRpc(gateway.url, method, { taskId, ...params }, as(name));
        const unknown = await rawRpc(gateway.url, method, { taskId: 'never-made', ...params }, as(name));
        expect(foreign.body.error).toEqual(unknown.body.error);
        expect(foreign.status).toBe(unknown.status);
      }
    }
    expect((await gateway.commands.get(taskId, 'anna'))?.phase).toBe('awaiting_approval');
  });

  it('of somebody else is left out of what is listened to', async () => {
    const taskId = await annasTask();
    const listener = await rawListen(gateway.url, { taskIds: [taskId] }, { token: tokenOf('ben') });
    expect((await listener.next()).params.notifications).toEqual({});
    gateway.commands.send(taskId);
    expect((await listener.next()).result).toBeDefined();
    expect(await listener.next()).toBeUndefined();
  });

  it('of somebody else is not found by the handle tools', async () => {
    const taskId = await annasTask();
    for (const tool of ['get_task', 'cancel_task']) {
      const { body } = await rawCall(gateway.url, tool, { task_id: taskId }, as('ben'));
      expect(body.result).toMatchObject({ isError: true, structuredContent: { ok: false, error: 'unknown_task' } });
    }
    expect((await gateway.commands.get(taskId, 'anna'))?.outcome).toBeNull();
  });

  it('of somebody else is not found over protocol 2025-11-25', async () => {
    const taskId = await annasTask();
    const older = await connectOlderClient(gateway.url, undefined, tokenOf('ben'));
    const tasks = older.client.experimental.tasks;
    expect((await tasks.listTasks()).tasks).toEqual([]);
    await expect(tasks.getTask(taskId)).rejects.toThrow(/not found/i);
    await expect(tasks.cancelTask(taskId)).rejects.toThrow(/not found/i);
    await expect(tasks.getTaskResult(taskId)).rejects.toThrow(/not found/i);
    await older.close();
    expect((await gateway.commands.get(taskId, 'anna'))?.outcome).toBeNull();
  });
});

describe('a session of an older client', () => {
  it('is unknown to any other token', async () => {
    const older = await connectOlderClient(gateway.url, undefined, tokenOf('anna'));
    const session = older.transport.sessionId ?? '';
    const listTools = (token: string) =>
      fetch(gateway.url, {
        method: 'POST',
        headers: {
          ...bearer(token),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': session,
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    expect((await listTools(tokenOf('ben'))).status).toBe(404);
    expect((await readAnswer(await listTools(tokenOf('anna')))).body.result.tools).toHaveLength(5);
    await older.close();
  });
});

describe('approvals', () => {
  it("are shown to whoever may approve, everybody's, and to nobody else", async () => {
    const taskId = await annasTask(30);
    const judge = { url: gateway.origin, token: tokenOf('judge') };
    expect(await listApprovals(judge)).toMatch(new RegExp(`${taskId}.*for anna`));
    expect(await listApprovals({ url: gateway.origin, token: tokenOf('owner') })).toContain(taskId);
    const anna = listApprovals({ url: gateway.origin, token: tokenOf('anna') });
    await expect(anna).rejects.toThrow(/needs the scope approve/);
    const nobody = listApprovals({ url: gateway.origin });
    await expect(nobody).rejects.toThrow(StartError);
    await expect(nobody).rejects.toThrow(/--token or READBACK_TOKEN/);
  });

  it('are answered in the name of the token', async () => {
    const taskId = await annasTask(30);
    await answerApproval({ url: gateway.origin, token: tokenOf('judge') }, taskId, true);
    const { approval } = (await gateway.commands.get(taskId, 'anna')) ?? {};
    expect(approval?.answer).toMatchObject({ approved: true, by: 'judge', through: 'cli' });
  });
});

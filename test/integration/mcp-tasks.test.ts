import { isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
});

afterEach(async () => {
  await gateway.close();
});

const start = async (args: object): Promise<string> =>
  (await rawCall(gateway.url, 'set_climate', { ...args }, { capabilities: TASK_CLIENT })).body.result.taskId;

const task = (method: string, taskId: string, params: object = {}, capabilities: object = TASK_CLIENT) =>
  rawRpc(gateway.url, method, { taskId, ...params }, { capabilities });

const getTask = async (taskId: string, capabilities: object = TASK_CLIENT) => {
  const { result } = (await task('tasks/get', taskId, {}, capabilities)).body;
  expect(isDetailedTaskV2(result)).toBe(true);
  return result;
};

describe('tasks/get', () => {
  it('follows a command to its result, which is a whole result', async () => {
    const taskId = await start({ power: 'on' });
    expect(await getTask(taskId)).toMatchObject({ resultType: 'complete', status: 'working', pollIntervalMs: 1_000 });
    gateway.commands.send(taskId);
    expect((await getTask(taskId)).statusMessage).toContain('reading back');
    gateway.commands.read(taskId, { power: 'on' });
    const done = await getTask(taskId);
    expect(done).toMatchObject({
      status: 'completed',
      result: { resultType: 'complete', structuredContent: { verdict: 'verified' } },
    });
    expect(done.result.isError).toBeUndefined();
    expect(Date.parse(done.lastUpdatedAt)).toBeGreaterThan(Date.parse(done.createdAt));
  });

  it('completes with isError where the verdict is not what was wished', async () => {
    const taskId = await start({ power: 'on' });
    gateway.commands.send(taskId);
    gateway.commands.expire(taskId);
    expect(await getTask(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { verdict: 'unreachable', reason: 'timeout' } },
    });
  });

  it('fails with a JSON-RPC error only where the fault is ours', async () => {
    const taskId = await start({ power: 'on' });
    gateway.commands.apply(taskId, { type: 'failed', message: 'the store is full' });
    expect(await getTask(taskId)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'the store is full' },
    });
  });
});

describe('tasks/cancel', () => {
  it('acknowledges with nothing else, and the task stays cancelled whatever is read later', async () => {
    const taskId = await start({ power: 'on' });
    gateway.commands.send(taskId);
    const { body } = await task('tasks/cancel', taskId);
    expect(body.result).toMatchObject({ resultType: 'complete' });
    gateway.commands.read(taskId, { power: 'on' });
    const cancelled = await getTask(taskId);
    expect(cancelled).toMatchObject({ status: 'cancelled', statusMessage: expect.stringContaining('not taken back') });
    expect(cancelled.result).toBeUndefined();
  });

  it('leaves a settled task as it is', async () => {
    const taskId = await start({ power: 'on' });
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'on' });
    expect((await task('tasks/cancel', taskId)).body.error).toBeUndefined();
    expect((await getTask(taskId)).status).toBe('completed');
  });
});

describe('a command that waits for a person', () => {
  const accepted = { inputResponses: { approval: { action: 'accept', content: { approve: true } } } };

  it('asks the client that can elicit, and is only working for one that cannot', async () => {
    const taskId = await start({ target_temperature: 30 });
    expect(await getTask(taskId)).toMatchObject({
      status: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: { message: 'Set Living-room AC: target_temperature to 30 °C?' },
        },
      },
    });
    const mute = { extensions: TASK_CLIENT.extensions };
    expect(await getTask(taskId, mute)).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('waiting for a person'),
    });
  });

  it('goes on when the person says yes, and a second answer changes nothing', async () => {
    const taskId = await start({ target_temperature: 30 });
    expect((await task('tasks/update', taskId, accepted)).body.result).toMatchObject({ resultType: 'complete' });
    expect((await getTask(taskId)).status).toBe('working');
    const late = await task('tasks/update', taskId, { inputResponses: { approval: { action: 'decline' } } });
    expect(late.body.error).toBeUndefined();
    expect((await getTask(taskId)).status).toBe('working');
  });

  it.each([
    ['declines', { action: 'decline' }],
    ['accepts the form and leaves the answer at no', { action: 'accept', content: { approve: false } }],
    ['accepts an empty form', { action: 'accept', content: {} }],
  ])('is not sent when the person %s', async (_, approval) => {
    const taskId = await start({ target_temperature: 30 });
    await task('tasks/update', taskId, { inputResponses: { approval } });
    expect(await getTask(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { verdict: 'declined', reason: 'approval_denied' } },
    });
  });

  it.each([
    ['a dismissed form', { approval: { action: 'cancel' } }],
    ['a key that was never asked', { other: { action: 'accept', content: { approve: true } } }],
    ['something else than an answer', { approval: { action: 'perhaps' } }],
    ['nothing', {}],
  ])('keeps asking after %s', async (_, inputResponses) => {
    const taskId = await start({ target_temperature: 30 });
    expect((await task('tasks/update', taskId, { inputResponses })).body.error).toBeUndefined();
    expect((await getTask(taskId)).status).toBe('input_required');
  });
});

describe('what tasks/get, tasks/update and tasks/cancel refuse', () => {
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

  it.each(methods)('%s of an unknown task is -32602', async (method) => {
    const { body } = await task(method, 'nobody-knows-me', { inputResponses: {} });
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining('not found') });
  });

  it.each(methods)('%s of a client that did not declare tasks is -32021 and says what to declare', async (method) => {
    const taskId = await start({ power: 'on' });
    const { body, status } = await task(method, taskId, { inputResponses: {} }, {});
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  });

  it.each(methods)('%s without a task id is -32602', async (method) => {
    const { body } = await rawRpc(gateway.url, method, {}, { capabilities: TASK_CLIENT });
    expect(body.error.code).toBe(-32602);
  });

  it('keeps the text of our own faults in the log', async () => {
    gateway.commands.refuseWith = new Error('cannot open /var/lib/readback');
    const { body } = await task('tasks/get', 'any');
    expect(body.error).toMatchObject({ code: -32603, message: expect.not.stringContaining('/var/lib') });
    expect(gateway.errors).toHaveLength(1);
  });
});

it('announces the extension, and that it honours idempotency keys', async () => {
  const { body } = await rawRpc(gateway.url, 'server/discover');
  expect(body.result.capabilities.extensions).toEqual({
    'io.modelcontextprotocol/tasks': {},
    'readback/idempotency-key': { principal: 'local' },
  });
  expect(body.result.instructions).toContain('verdict');
});

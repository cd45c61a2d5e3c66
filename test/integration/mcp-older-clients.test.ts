import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { type Asked, connectOlderClient, type OlderClient } from '../support/older-client.ts';

const YES = { action: 'accept' as const, content: { approve: true } };
const DELICATE = { target_temperature: 30 };

let gateway: TestGateway;
let older: OlderClient;

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
});

afterEach(async () => {
  await older.close();
  await gateway.close();
});

/** Every command that may be sent reaches its device, which does as it is told. */
function obey(values: Readonly<Record<string, string | number>>): void {
  const { commands } = gateway;
  commands.subscribe(({ taskId, phase }) => {
    if (phase !== 'queued') return;
    setImmediate(() => {
      commands.send(taskId);
      commands.read(taskId, values);
    });
  });
}

async function theWaiting(): Promise<string> {
  const [waiting] = await gateway.commands.waiting();
  return String(waiting?.taskId);
}

describe('the client of the SDK before, which can ask its person', () => {
  it.each([
    ['yes', YES, { verdict: 'verified' }, undefined],
    ['no', { action: 'decline' as const }, { verdict: 'declined' }, true],
  ])('is asked within its call: %s', async (_, answer, expected, isError) => {
    obey(DELICATE);
    const questions: string[] = [];
    older = await connectOlderClient(gateway.url, ({ message }) => {
      questions.push(message);
      return answer;
    });
    const result = await older.call('set_climate', DELICATE);
    expect(result.structuredContent).toMatchObject(expected);
    expect(result.isError).toBe(isError);
    expect(questions).toEqual(['Set Living-room AC: target_temperature to 30 °C?']);
    const [record] = await gateway.commands.list({ principal: 'local', limit: 1 });
    expect(record?.approval?.answer).toMatchObject({ by: 'local', through: 'mcp' });
  });

  it('gets the handle, and the place to answer, where the form is put away', async () => {
    await gateway.close();
    gateway = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1 });
    older = await connectOlderClient(gateway.url, () => ({ action: 'cancel' }));
    const result = await older.call('set_climate', DELICATE);
    expect(result.structuredContent).toMatchObject({ status: 'input_required', task_id: await theWaiting() });
    expect(JSON.stringify(result.content)).toContain(`readback approve ${await theWaiting()}`);
  });

  it('takes the question back when it is answered through another door', async () => {
    obey(DELICATE);
    const asked = deferred<Asked>();
    const takenBack = deferred<void>();
    let questions = 0;
    older = await connectOlderClient(gateway.url, (question) => {
      questions += 1;
      // This client overlooks it when the very first request is cancelled, whose id is 0.
      if (questions === 1) return { action: 'decline' };
      question.signal.addEventListener('abort', () => takenBack.resolve());
      asked.resolve(question);
      return new Promise(() => {});
    });
    await older.call('set_climate', DELICATE);
    const call = older.call('set_climate', DELICATE);
    await asked.promise;
    await gateway.commands.answer(await theWaiting(), 'local', { approved: true, by: 'anna', through: 'cli' });
    expect((await call).structuredContent).toMatchObject({ verdict: 'verified' });
    await takenBack.promise;
  });

  it('may answer after it has given up on its call', async () => {
    obey(DELICATE);
    const answer = deferred<typeof YES>();
    older = await connectOlderClient(gateway.url, () => answer.promise);
    await expect(older.call('set_climate', DELICATE, { timeout: 200 })).rejects.toThrow(/timed out/);
    const taskId = await theWaiting();
    answer.resolve(YES);
    await expect
      .poll(() => older.call('get_task', { task_id: taskId }))
      .toMatchObject({
        structuredContent: { status: 'completed', result: { verdict: 'verified' } },
      });
  });

  it('is asked several questions at once, and answers them in any order', async () => {
    obey({});
    const open = new Map<string, (answer: typeof YES) => void>();
    older = await connectOlderClient(
      gateway.url,
      ({ message }) =>
        new Promise((resolve) => {
          open.set(message, resolve);
        }),
    );
    const temperatures = [30, 29, 18];
    for (const temperature of temperatures) {
      void older.call('set_climate', { target_temperature: temperature }).catch(() => undefined);
    }
    const answered: string[] = [];
    gateway.commands.subscribe(({ approval, phase }) => {
      if (phase === 'queued' && approval) answered.push(approval.question);
    });
    await expect.poll(() => open.size).toBe(3);
    const questions = [...open.keys()].sort();
    for (const question of questions) {
      open.get(question)?.(YES);
      await expect.poll(() => answered).toContain(question);
    }
    expect(answered).toEqual(questions);
  });
});

describe('the client of the SDK before, which can ask nobody', () => {
  it('is told where a person answers, and hears the verdict from get_task', async () => {
    await gateway.close();
    gateway = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1 });
    obey(DELICATE);
    older = await connectOlderClient(gateway.url);
    const result = await older.call('set_climate', DELICATE);
    const taskId = await theWaiting();
    expect(result.isError).toBeUndefined();
    expect(JSON.stringify(result.content)).toMatch(new RegExp(`nothing has been sent.*readback approve ${taskId}`));
    const waiting = older.call('get_task', { task_id: taskId, wait_s: 20 });
    await gateway.commands.answer(taskId, 'local', { approved: true, by: 'anna', through: 'cli' });
    expect((await waiting).structuredContent).toMatchObject({ status: 'completed', result: { verdict: 'verified' } });
  });
});

describe('tasks of protocol 2025-11-25', () => {
  const stream = async (args: Record<string, unknown>) => {
    const seen: string[] = [];
    let result: unknown;
    const messages = older.client.experimental.tasks.callToolStream(
      { name: 'set_climate', arguments: args },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    );
    for await (const message of messages) {
      if (message.type === 'taskCreated' || message.type === 'taskStatus') seen.push(message.task.status);
      else if (message.type === 'result') result = message.result;
      else throw message.error;
    }
    return { seen, result };
  };
  const create = async (args: Record<string, unknown>) => {
    const params = { name: 'set_climate', arguments: args, task: {} };
    return (await older.client.request({ method: 'tools/call', params }, CreateTaskResultSchema)).task;
  };

  it('are announced, and offered for the tools that command', async () => {
    older = await connectOlderClient(gateway.url);
    expect(older.client.getServerCapabilities()?.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    const { tools } = await older.client.listTools();
    const support = Object.fromEntries(tools.map((tool) => [tool.name, tool.execution?.taskSupport]));
    expect(support).toMatchObject({ set_climate: 'optional', set_fan: 'optional' });
    expect(support['get_state']).toBeUndefined();
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(3_474);
  });

  it('are followed to the verdict', async () => {
    obey({ target_temperature: 26 });
    older = await connectOlderClient(gateway.url);
    const { seen, result } = await stream({ target_temperature: 26 });
    expect(seen[0]).toBe('working');
    expect(seen.at(-1)).toBe('completed');
    expect(result).toMatchObject({ structuredContent: { verdict: 'verified' } });
  });

  it('ask their question within tasks/result', async () => {
    obey(DELICATE);
    const questions: string[] = [];
    older = await connectOlderClient(gateway.url, ({ message }) => {
      questions.push(message);
      return YES;
    });
    const { seen, result } = await stream(DELICATE);
    expect(seen.slice(0, 2)).toEqual(['working', 'input_required']);
    expect(result).toMatchObject({ structuredContent: { verdict: 'verified' } });
    expect(questions).toHaveLength(1);
  });

  it('put one form before the person, however often the result is asked for', async () => {
    obey(DELICATE);
    const questions: string[] = [];
    const answer = deferred<typeof YES>();
    older = await connectOlderClient(gateway.url, ({ message }) => {
      questions.push(message);
      return answer.promise;
    });
    const { taskId } = await create(DELICATE);
    const { tasks } = older.client.experimental;
    const results = [1, 2, 3].map(() => tasks.getTaskResult(taskId, CallToolResultSchema));
    await expect.poll(() => questions.length).toBe(1);
    answer.resolve(YES);
    expect(await Promise.all(results)).toMatchObject(
      [1, 2, 3].map(() => ({ structuredContent: { verdict: 'verified' } })),
    );
    expect(questions).toHaveLength(1);
  });

  it('wait for a person elsewhere where the client can ask nobody', async () => {
    obey(DELICATE);
    older = await connectOlderClient(gateway.url);
    const { taskId } = await create(DELICATE);
    expect(await older.client.experimental.tasks.getTask(taskId)).toMatchObject({
      status: 'input_required',
      statusMessage: expect.stringContaining(`readback approve ${taskId}`),
    });
    const result = older.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    await gateway.commands.answer(taskId, 'local', { approved: true, by: 'anna', through: 'cli' });
    expect((await result).structuredContent).toMatchObject({ verdict: 'verified' });
  });

  it('fail with what was seen, and give the verdict as their result', async () => {
    older = await connectOlderClient(gateway.url);
    const { taskId } = await create({ target_temperature: 99 });
    const { tasks } = older.client.experimental;
    expect(await tasks.getTask(taskId)).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('out of range'),
    });
    const result = await tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { verdict: 'rejected' },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
  });

  it('are cancelled once, and have no result then', async () => {
    older = await connectOlderClient(gateway.url);
    const { tasks } = older.client.experimental;
    const { taskId } = await create({ power: 'on' });
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 });
    await expect(tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toMatchObject({ code: -32602 });
    expect(await tasks.getTask(taskId)).toMatchObject({ status: 'cancelled' });
  });

  it('are listed in pages, newest first, and only those of the principal', async () => {
    older = await connectOlderClient(gateway.url);
    const made: string[] = [];
    for (let count = 0; count < 60; count++) made.unshift((await create({ power: 'on' })).taskId);
    await gateway.commands.submit({ deviceId: 'bedroom_fan', set: { power: 'on' }, principal: 'anna' });
    const { tasks } = older.client.experimental;
    const first = await tasks.listTasks();
    const second = await tasks.listTasks(first.nextCursor);
    expect([...first.tasks, ...second.tasks].map(({ taskId }) => taskId)).toEqual(made);
    expect(second.nextCursor).toBeUndefined();
  });

  it('are told of by themselves', async () => {
    older = await connectOlderClient(gateway.url);
    const told: string[] = [];
    older.client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
      told.push(`${params.taskId} ${params.status}`);
    });
    const { taskId } = await create({ power: 'on' });
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'on' });
    await expect.poll(() => told.at(-1)).toBe(`${taskId} completed`);
    expect(told[0]).toBe(`${taskId} working`);
  });

  it('are followed no longer than there is something to tell: not at all where they had ended at once', async () => {
    older = await connectOlderClient(gateway.url);
    let following = 0;
    const subscribe = gateway.commands.subscribe.bind(gateway.commands);
    vi.spyOn(gateway.commands, 'subscribe').mockImplementation((listener) => {
      following += 1;
      const stop = subscribe(listener);
      return () => {
        following -= 1;
        stop();
      };
    });
    await create({ target_temperature: 99 });
    await expect.poll(() => following).toBe(0);
    const { taskId } = await create({ power: 'on' });
    expect(following).toBe(1);
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'on' });
    await expect.poll(() => following).toBe(0);
  });

  it.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('%s of a task that nobody knows is -32602', async (method) => {
    older = await connectOlderClient(gateway.url);
    const request = older.client.request({ method, params: { taskId: 'x' } } as never, CallToolResultSchema);
    await expect(request).rejects.toMatchObject({ code: -32602 });
  });

  it('are refused for tools that answer at once, and for devices that do not exist', async () => {
    older = await connectOlderClient(gateway.url);
    const call = (params: object) =>
      older.client.request({ method: 'tools/call', params: { ...params, task: {} } } as never, CreateTaskResultSchema);
    await expect(call({ name: 'get_state', arguments: {} })).rejects.toMatchObject({ code: -32601 });
    await expect(call({ name: 'set_fan', arguments: { device: 'oven' } })).rejects.toMatchObject({ code: -32602 });
  });
});

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { type RawListener, rawListen } from '../support/raw-listen.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

let gateway: TestGateway;
let listeners: RawListener[];

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
  listeners = [];
});

afterEach(async () => {
  for (const listener of listeners) listener.close();
  await gateway.close();
});

async function listen(notifications: unknown, options: Parameters<typeof rawListen>[2] = {}): Promise<RawListener> {
  const listener = await rawListen(gateway.url, notifications, options);
  listeners.push(listener);
  return listener;
}

const start = async (args: object, tool = 'set_climate'): Promise<string> =>
  (await rawCall(gateway.url, tool, { ...args }, { capabilities: TASK_CLIENT })).body.result.taskId;

const someoneElses = async (): Promise<string> =>
  (await gateway.commands.submit({ deviceId: 'bedroom_fan', set: { power: 'on' }, principal: 'somebody else' })).taskId;

const acknowledged = async (listener: RawListener) => {
  const message = await listener.next();
  expect(message.method).toBe('notifications/subscriptions/acknowledged');
  return message.params.notifications;
};

const settled = (message: { params?: { status?: string } }) => message.params?.status === 'completed';

describe('listening to tasks', () => {
  it('acknowledges first, tells how each task stands, then every change, each with the id of the subscription', async () => {
    const taskId = await start({ power: 'on' });
    const listener = await listen({ taskIds: [taskId] }, { id: 'sub-7' });
    expect(await acknowledged(listener)).toEqual({ taskIds: [taskId] });
    const snapshot = await listener.next();
    expect(snapshot).toMatchObject({ method: 'notifications/tasks', params: { taskId, status: 'working' } });
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'on' });
    const messages = await listener.until(settled);
    expect(messages.length).toBeGreaterThan(2);
    for (const { params } of [snapshot, ...messages]) {
      expect(params._meta).toEqual({ [SUBSCRIPTION]: 'sub-7' });
      expect(isDetailedTaskV2(params)).toBe(true);
    }
  });

  it('says the same as tasks/get at that moment', async () => {
    const taskId = await start({ power: 'on' });
    gateway.commands.send(taskId);
    gateway.commands.expire(taskId);
    const listener = await listen({ taskIds: [taskId] });
    await acknowledged(listener);
    const { _meta: mine, ...told } = (await listener.next()).params;
    const { body } = await rawRpc(gateway.url, 'tasks/get', { taskId }, { capabilities: TASK_CLIENT });
    const { _meta, resultType, ...got } = body.result;
    expect(told).toEqual(got);
    expect(told).toMatchObject({ status: 'completed', result: { isError: true } });
  });

  it('loses nothing that happens between the creation of a task and the listening', async () => {
    const taskId = await start({ power: 'on' });
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'on' });
    const listener = await listen({ taskIds: [taskId] });
    await acknowledged(listener);
    expect(await listener.next()).toMatchObject({ params: { taskId, status: 'completed' } });
  });

  it('says nothing more of a task once it has ended, and goes on with the others', async () => {
    const done = await start({ power: 'on' });
    gateway.commands.send(done);
    gateway.commands.read(done, { power: 'on' });
    const open = await start({ power: 'on' }, 'set_fan');
    const listener = await listen({ taskIds: [done, open] });
    await acknowledged(listener);
    expect((await listener.next()).params).toMatchObject({ taskId: done, status: 'completed' });
    expect((await listener.next()).params).toMatchObject({ taskId: open, status: 'working' });
    gateway.commands.send(open);
    gateway.commands.read(open, { power: 'on' });
    const told = await listener.until(settled);
    expect(new Set(told.map(({ params }) => params.taskId))).toEqual(new Set([open]));
  });

  it('leaves unknown tasks and those of others out of the acknowledgement, and never tells of them', async () => {
    const [mine, theirs] = [await start({ power: 'on' }, 'set_fan'), await someoneElses()];
    const listener = await listen({ taskIds: ['nobody-knows-me', theirs, mine, mine] });
    expect(await acknowledged(listener)).toEqual({ taskIds: [mine] });
    expect((await listener.next()).params.taskId).toBe(mine);
    gateway.commands.send(theirs);
    gateway.commands.read(theirs, { power: 'on' });
    gateway.commands.send(mine);
    expect((await listener.next()).params.taskId).toBe(mine);
  });

  it('acknowledges nothing and ends well where nothing is left to tell', async () => {
    const listener = await listen({ taskIds: ['nobody-knows-me'] }, { id: 3 });
    expect(await acknowledged(listener)).toEqual({});
    expect(await listener.next()).toMatchObject({
      id: 3,
      result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 3 } },
    });
    expect(await listener.next()).toBeUndefined();
  });

  it('tells each of several streams about its own tasks', async () => {
    const [first, second] = [await start({ power: 'on' }), await start({ power: 'on' }, 'set_fan')];
    const one = await listen({ taskIds: [first] }, { id: 1 });
    const both = await listen({ taskIds: [first, second] }, { id: 2 });
    for (const listener of [one, both]) await acknowledged(listener);
    gateway.commands.apply(second, { type: 'cancelled' });
    gateway.commands.apply(first, { type: 'cancelled' });
    const cancelled = (message: { params: { status: string } }) => message.params.status === 'cancelled';
    const toOne = await one.until(cancelled);
    expect(new Set(toOne.map(({ params }) => params.taskId))).toEqual(new Set([first]));
    const toBoth = await both.until((message) => cancelled(message) && message.params.taskId === first);
    expect(toBoth.filter(cancelled).map(({ params }) => [params.taskId, params._meta[SUBSCRIPTION]])).toEqual([
      [second, 2],
      [first, 2],
    ]);
  });

  it('shows the question of a waiting command to a client that can put it to a person, and only to that one', async () => {
    const taskId = await start({ target_temperature: 30 });
    const asking = await listen({ taskIds: [taskId] });
    const mute = await listen({ taskIds: [taskId] }, { capabilities: { extensions: TASK_CLIENT.extensions } });
    for (const listener of [asking, mute]) await acknowledged(listener);
    expect((await asking.next()).params).toMatchObject({ status: 'input_required', inputRequests: { approval: {} } });
    expect((await mute.next()).params).toMatchObject({ status: 'working' });
  });

  it('follows ten thousand tasks in one stream', async () => {
    const taskIds: string[] = [];
    for (let made = 0; made < 10_000; made += 1) {
      const wish = { deviceId: 'bedroom_fan', set: { power: 'on' }, principal: 'local' };
      taskIds.push((await gateway.commands.submit(wish)).taskId);
    }
    const listener = await listen({ taskIds });
    expect((await acknowledged(listener)).taskIds).toHaveLength(10_000);
    for (const taskId of taskIds) expect((await listener.next()).params.taskId).toBe(taskId);
    const last = String(taskIds.at(-1));
    gateway.commands.apply(last, { type: 'cancelled' });
    expect((await listener.next()).params).toMatchObject({ taskId: last, status: 'cancelled' });
  }, 30_000);
});

describe('what listening is refused for', () => {
  it('is a client that did not declare the extension', async () => {
    const listener = await listen({ taskIds: ['x'] }, { capabilities: {} });
    expect(listener.status).toBe(400);
    expect(await listener.next()).toMatchObject({
      id: 1,
      error: { code: -32021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } },
    });
  });

  it.each([
    ['no filter', undefined],
    ['a filter that is none', 'tools'],
    ['one id that stands alone', { taskIds: 'x' }],
    ['an id that is no text', { taskIds: ['x', 7] }],
    ['more ids than anybody follows', { taskIds: Array.from({ length: 20_001 }, (_, index) => `task-${index}`) }],
    ['resources that are no list', { resourceSubscriptions: {} }],
    ['a wish that is neither yes nor no', { toolsListChanged: 'yes' }],
  ])('%s', async (_, notifications) => {
    const message = await (await listen(notifications)).next();
    expect(message).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32602 } });
    expect(message.error.message).toContain('notifications');
  });

  it('none of it is a fault of ours', () => {
    expect(gateway.errors).toEqual([]);
  });
});

describe('what all streams together may hold', () => {
  it('is so many streams: one that ends makes room', async () => {
    await gateway.close();
    gateway = await startGateway({ maxStreams: 2 });
    const first = await listen({ toolsListChanged: true });
    await listen({ toolsListChanged: true });
    expect(await (await listen({ toolsListChanged: true })).next()).toMatchObject({
      error: { code: -32603, message: 'Subscription limit reached: 2 streams are open' },
    });
    first.close();
    await expect.poll(async () => (await (await listen({ toolsListChanged: true })).next()).method).toBeDefined();
  });

  it('is so many tasks and resources: those that have ended count no more', async () => {
    await gateway.close();
    gateway = await startGateway({ maxFollowed: 3 });
    const [one, two] = [await start({ power: 'on' }), await start({ power: 'on' }, 'set_fan')];
    const first = await listen({ taskIds: [one, two], toolsListChanged: true });
    await acknowledged(first);
    expect((await (await listen({ taskIds: [two] })).next()).error.message).toContain('limit reached: 3 tasks');
    gateway.commands.apply(one, { type: 'cancelled' });
    await first.until((message) => message.params?.status === 'cancelled');
    expect(await acknowledged(await listen({ taskIds: [two] }))).toEqual({ taskIds: [two] });
  });
});

it('gives signs of life while nothing happens', async () => {
  await gateway.close();
  gateway = await startGateway({ keepAliveMs: 20 });
  const listener = await listen({ toolsListChanged: true });
  await acknowledged(listener);
  expect(await listener.nextRaw()).toBe(': keepalive');
  expect(await listener.nextRaw()).toBe(': keepalive');
});

it("is spoken by MCP's own client too", async () => {
  const taskId = await start({ power: 'on' });
  const client = new Client(
    { name: 'test', version: '0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: TASK_CLIENT },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const statuses: string[] = [];
  const ended = new Promise<void>((resolve) => {
    const params = z.looseObject({ taskId: z.literal(taskId), status: z.string() });
    client.setNotificationHandler('notifications/tasks', { params }, ({ status }) => {
      statuses.push(status);
      if (status === 'completed') resolve();
    });
  });
  const filter = { toolsListChanged: true, taskIds: [taskId] };
  const subscription = await client.listen(filter);
  gateway.commands.send(taskId);
  gateway.commands.read(taskId, { power: 'on' });
  await ended;
  expect(new Set(statuses)).toEqual(new Set(['working', 'completed']));
  await subscription.close();
  await client.close();
});

it('ends every stream with its result when the gateway stops', async () => {
  const taskId = await start({ power: 'on' });
  const open = [await listen({ taskIds: [taskId] }, { id: 1 }), await listen({ taskIds: [taskId] }, { id: 'two' })];
  for (const listener of open) await acknowledged(listener);
  await gateway.close();
  for (const [index, id] of [1, 'two'].entries()) {
    const messages = (await open[index]?.until((message) => 'result' in message)) ?? [];
    expect(messages.at(-1)).toMatchObject({
      id,
      result: {
        resultType: 'complete',
        _meta: { [SUBSCRIPTION]: id, 'io.modelcontextprotocol/serverInfo': { name: 'readback' } },
      },
    });
    expect(await open[index]?.next()).toBeUndefined();
  }
});

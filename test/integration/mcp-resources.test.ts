import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REASONS, VERDICTS } from '../../gateway/domain/verdict.ts';
import { DEMO_AC, DEMO_FAN } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { type RawListener, rawListen } from '../support/raw-listen.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

const AC = 'device://living_room_ac';

let gateway: TestGateway;
let listeners: RawListener[];

beforeEach(async () => {
  gateway = await startGateway();
  listeners = [];
});

afterEach(async () => {
  for (const listener of listeners) listener.close();
  await gateway.close();
});

/** A stream whose acknowledgement has been read. */
async function listen(notifications: object): Promise<RawListener> {
  const listener = await rawListen(gateway.url, notifications);
  listeners.push(listener);
  expect((await listener.next()).params.notifications).toEqual(notifications);
  return listener;
}

const read = (uri: string) => rawRpc(gateway.url, 'resources/read', { uri });

describe('reading', () => {
  it('lists every device and the words of a result', async () => {
    const { result } = (await rawRpc(gateway.url, 'resources/list')).body;
    expect(result.resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      AC,
      'device://bedroom_fan',
      'readback://verdicts',
    ]);
    expect(result.resources[0]).toMatchObject({ name: 'living_room_ac', title: 'Living-room AC' });
  });

  it('tells the state of a device as get_state does', async () => {
    gateway.commands.know('living_room_ac', { power: 'on', target_temperature: 23 });
    const { contents } = (await read(AC)).body.result;
    expect(contents).toMatchObject([{ uri: AC, mimeType: 'application/json' }]);
    const told = JSON.parse(contents[0].text);
    expect(told.values.target_temperature).toMatchObject({ value: 23, observed_at: expect.any(String) });
    const { structuredContent } = (await rawCall(gateway.url, 'get_state', { device: 'living_room_ac' })).body.result;
    expect(Object.keys(told)).toEqual(Object.keys(structuredContent.devices[0]));
  });

  it('explains every verdict and every reason', async () => {
    const { contents } = (await read('readback://verdicts')).body.result;
    const words = JSON.parse(contents[0].text);
    expect(Object.keys(words.verdicts)).toEqual([...VERDICTS]);
    expect(Object.keys(words.reasons)).toEqual([...REASONS]);
  });

  it.each(['device://nobody', 'file:///etc/passwd', 'nonsense'])('does not know %s', async (uri) => {
    expect((await read(uri)).body.error).toMatchObject({ code: -32602, data: { uri } });
    expect(gateway.errors).toEqual([]);
  });

  it('says nothing of a fault of ours but that there was one', async () => {
    gateway.commands.refuseWith = new Error('secret path /etc/readback');
    const { error } = (await read(AC)).body;
    expect(error.code).toBe(-32603);
    expect(error.message).not.toContain('secret');
    expect(gateway.errors).toHaveLength(1);
  });

  it('is open to older clients too', async () => {
    const client = new Client({ name: 'older', version: '0' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    expect((await client.listResources()).resources).toHaveLength(3);
    expect((await client.readResource({ uri: AC })).contents).toHaveLength(1);
    await client.close();
  });
});

describe('listening', () => {
  it('tells that a device has changed, and only of those that were asked for', async () => {
    const listener = await listen({ resourceSubscriptions: [AC] });
    gateway.commands.know('bedroom_fan', { power: 'on' });
    gateway.commands.know('living_room_ac', { power: 'on' });
    expect(await listener.next()).toMatchObject({ method: 'notifications/resources/updated', params: { uri: AC } });
  });

  it('tells a chatty device once, and once more with what it said since', async () => {
    const listener = await listen({ resourceSubscriptions: [AC] });
    const before = Date.now();
    for (let temperature = 16; temperature < 30; temperature += 1) {
      gateway.commands.know('living_room_ac', { target_temperature: temperature });
    }
    gateway.commands.know('bedroom_fan', { power: 'on' });
    await listener.next();
    await listener.next();
    expect(Date.now() - before).toBeGreaterThan(900);
    const { contents } = (await read(AC)).body.result;
    expect(JSON.parse(contents[0].text).values.target_temperature.value).toBe(29);
  });

  it('tells of a device that announces itself: other tools, other resources', async () => {
    const listener = await listen({ toolsListChanged: true, resourcesListChanged: true });
    gateway.commands.appear({ ...DEMO_AC, id: 'attic_ac', name: 'Attic AC' });
    expect((await listener.next()).method).toBe('notifications/tools/list_changed');
    expect((await listener.next()).method).toBe('notifications/resources/list_changed');
    const { tools } = (await rawRpc(gateway.url, 'tools/list')).body.result;
    expect(JSON.stringify(tools)).toContain('attic_ac');
    gateway.commands.vanish('attic_ac');
    expect((await listener.next()).method).toBe('notifications/tools/list_changed');
    expect((await read('device://attic_ac')).body.error.code).toBe(-32602);
  });

  it('tells of tasks and resources in one stream', async () => {
    const wish = { deviceId: DEMO_FAN.id, set: { power: 'on' }, principal: 'local' };
    const { taskId } = await gateway.commands.submit(wish);
    const listener = await listen({ toolsListChanged: true, resourceSubscriptions: [AC], taskIds: [taskId] });
    expect((await listener.next()).method).toBe('notifications/tasks');
    gateway.commands.know('living_room_ac', { power: 'on' });
    gateway.commands.apply(taskId, { type: 'cancelled' });
    expect((await listener.next()).method).toBe('notifications/resources/updated');
    expect((await listener.next()).params).toMatchObject({ taskId, status: 'cancelled' });
  });

  it('needs no capability where no tasks are asked for', async () => {
    const listener = await rawListen(gateway.url, { toolsListChanged: true }, { capabilities: {} });
    listeners.push(listener);
    expect((await listener.next()).params.notifications).toEqual({ toolsListChanged: true });
  });

  it('acknowledges only what will ever be told', async () => {
    const listener = await rawListen(
      gateway.url,
      {
        promptsListChanged: true,
        toolsListChanged: false,
        resourceSubscriptions: [AC, AC, `device://${'x'.repeat(300)}`],
      },
      { capabilities: TASK_CLIENT },
    );
    listeners.push(listener);
    expect((await listener.next()).params.notifications).toEqual({ resourceSubscriptions: [AC] });
  });
});

describe("MCP's own client", () => {
  it('listens, hears of a change, and reads', async () => {
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const updated = new Promise<string>((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
    });
    const subscription = await client.listen({ resourceSubscriptions: [AC] });
    gateway.commands.know('living_room_ac', { power: 'off' });
    expect(await updated).toBe(AC);
    const { contents } = await client.readResource({ uri: AC });
    expect(JSON.stringify(contents)).toContain('living_room_ac');
    await subscription.close();
    await client.close();
  });
});

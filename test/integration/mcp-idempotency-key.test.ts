import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IDEMPOTENCY_KEY } from '../../gateway/mcp/idempotency-key.ts';
import { DEMO_AC } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { connectOlderClient } from '../support/older-client.ts';
import { rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

const KEY = '2f6d1c1e-9d0b-4f6f-8f0e-3b5c6c7d8e9f';
const CALL = { name: 'set_climate', arguments: { power: 'on' } };

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({ inlineWaitMs: 0 });
});

afterEach(async () => {
  await gateway.close();
});

describe('an idempotency key', () => {
  it('travels with a call of 2026-07-28, whose server says that it honours keys', async () => {
    const { body } = await rawRpc(gateway.url, 'server/discover');
    expect(body.result.capabilities.extensions).toMatchObject({ [IDEMPOTENCY_KEY]: { principal: 'local' } });
    await rawRpc(gateway.url, 'tools/call', CALL, { capabilities: TASK_CLIENT, meta: { [IDEMPOTENCY_KEY]: KEY } });
    expect(gateway.commands.wishes).toMatchObject([{ key: KEY, set: { power: 'on' } }]);
  });

  it('travels with a call of 2025-11-25, whose server says so in its place', async () => {
    const { client, close } = await connectOlderClient(gateway.url);
    expect(client.getServerCapabilities()?.experimental).toMatchObject({ [IDEMPOTENCY_KEY]: { principal: 'local' } });
    await client.callTool({ ...CALL, _meta: { [IDEMPOTENCY_KEY]: KEY } });
    expect(gateway.commands.wishes).toMatchObject([{ key: KEY }]);
    await close();
  });

  it('is refused where it is no string', async () => {
    const { body } = await rawRpc(gateway.url, 'tools/call', CALL, { meta: { [IDEMPOTENCY_KEY]: 7 } });
    expect(body.result).toMatchObject({ isError: true, structuredContent: { error: 'bad_value' } });
    expect(gateway.commands.wishes).toEqual([]);
  });

  it('is looked for before the device, which a gateway may not have discovered yet', async () => {
    const options = { capabilities: TASK_CLIENT, meta: { [IDEMPOTENCY_KEY]: KEY } };
    const call = { ...CALL, arguments: { device: DEMO_AC.id, power: 'on' } };
    const { body: first } = await rawRpc(gateway.url, 'tools/call', call, options);
    gateway.commands.appear({ ...DEMO_AC, id: 'another_ac' });
    gateway.commands.vanish(DEMO_AC.id);
    const { body: again } = await rawRpc(gateway.url, 'tools/call', call, options);
    expect(again.result).toMatchObject({ resultType: 'task', taskId: first.result.taskId });
    const unknown = { capabilities: TASK_CLIENT, meta: { [IDEMPOTENCY_KEY]: `${KEY}-2` } };
    const { body: refused } = await rawRpc(gateway.url, 'tools/call', call, unknown);
    expect(refused.result).toMatchObject({ structuredContent: { error: 'unknown_device' } });
  });

  it('gives a client that knows tasks the task, also once that has ended', async () => {
    gateway.commands.onSubmit = (taskId) => {
      gateway.commands.send(taskId);
      gateway.commands.read(taskId, { power: 'on' });
    };
    const { body } = await rawRpc(gateway.url, 'tools/call', CALL, { capabilities: TASK_CLIENT });
    expect(body.result).toMatchObject({ resultType: 'task', status: 'completed' });
  });
});

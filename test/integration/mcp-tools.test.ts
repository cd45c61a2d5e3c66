import { isCreateTaskResultV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../gateway/domain/errors.ts';
import { VERDICTS } from '../../gateway/domain/verdict.ts';
import { DEMO_AC, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway();
});

afterEach(async () => {
  await gateway.close();
});

describe('the list of tools', () => {
  it('costs a model at most 3,474 bytes for one air conditioner and one fan', async () => {
    const { body } = await rawRpc(gateway.url, 'tools/list');
    expect(Buffer.byteLength(JSON.stringify(body.result.tools))).toBeLessThanOrEqual(3_474);
  });

  it('has only the kinds that are configured, and no second set of control tools', async () => {
    const names = async (url: string) =>
      (await rawRpc(url, 'tools/list')).body.result.tools.map((tool: { name: string }) => tool.name);
    expect(await names(gateway.url)).toEqual(['get_state', 'set_climate', 'set_fan', 'get_task', 'cancel_task']);
    const acOnly = await startGateway({ specs: [DEMO_AC] });
    expect(await names(acOnly.url)).toEqual(['get_state', 'set_climate', 'get_task', 'cancel_task']);
    await acOnly.close();
  });
});

describe('set_climate for a client without tasks', () => {
  it('answers with the verdict once it is read back', async () => {
    gateway.commands.onSubmit = (id) => {
      gateway.commands.send(id);
      gateway.commands.read(id, { target_temperature: 26 });
    };
    const { body } = await rawCall(gateway.url, 'set_climate', { target_temperature: 26 });
    expect(body.result).toMatchObject({
      resultType: 'complete',
      structuredContent: {
        device: 'living_room_ac',
        verdict: 'verified',
        fields: { target_temperature: { requested: 26, sent: 26, observed: 26, evidence: 3 } },
      },
    });
    expect(body.result.isError).toBeUndefined();
    expect(body.result.content[0].text).toContain('verified: target_temperature is 26 °C');
  });

  it('waits for the verdict within the inline wait', async () => {
    gateway.commands.onSubmit = (id) => {
      setImmediate(() => {
        gateway.commands.send(id);
        gateway.commands.read(id, { power: 'on' });
      });
    };
    const { body } = await rawCall(gateway.url, 'set_climate', { power: true });
    expect(body.result.structuredContent).toMatchObject({ verdict: 'verified', fields: { power: { sent: 'on' } } });
  });

  it('says what was sent and what was seen where the device did not move', async () => {
    gateway.commands.know('living_room_ac', { target_temperature: 22 });
    gateway.commands.onSubmit = (id) => {
      gateway.commands.send(id);
      gateway.commands.read(id, { target_temperature: 22 });
      gateway.commands.expire(id);
    };
    const { body } = await rawCall(gateway.url, 'set_climate', { target_temperature: 26 });
    expect(body.result.isError).toBe(true);
    expect(body.result.structuredContent).toMatchObject({ verdict: 'ignored', reason: 'no_reaction' });
    expect(body.result.content[0].text).toMatch(/sent target_temperature 26 °C.*read 22 °C/);
  });

  it('hands out the handle when the wait is over, and never asks for a repetition', async () => {
    const hasty = await startGateway({ inlineWaitMs: 1 });
    hasty.commands.onSubmit = (id) => hasty.commands.send(id);
    const { body } = await rawCall(hasty.url, 'set_climate', { target_temperature: 26 });
    const { task_id, ...task } = body.result.structuredContent;
    expect(Object.keys({ task_id, ...task }).sort()).toEqual([
      'created_at',
      'last_updated_at',
      'ok',
      'poll_interval',
      'status',
      'status_message',
      'task_id',
      'ttl',
    ]);
    expect(task).toMatchObject({ ok: true, status: 'working', ttl: 300_000 });
    expect(body.result.isError).toBeUndefined();
    expect(body.result.content[0].text).toContain(`Call get_task with task_id "${task_id}"`);
    expect(body.result.content[0].text).toContain('do not repeat the command');
    await hasty.close();
  });

  it('tells its progress where the client asks for it', async () => {
    gateway.commands.onSubmit = (id) => {
      setImmediate(() => {
        gateway.commands.send(id);
        gateway.commands.read(id, { power: 'on' });
      });
    };
    const { messages, type } = await rawCall(
      gateway.url,
      'set_climate',
      { power: 'on' },
      { meta: { progressToken: 7 } },
    );
    const progress = messages.filter((message) => message.method === 'notifications/progress');
    expect(type).toContain('text/event-stream');
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.map(({ params }) => params.progress)).toEqual(progress.map((_, index) => index + 1));
    expect(progress[0].params).toMatchObject({ progressToken: 7, message: expect.stringContaining('power') });
    expect(messages.at(-1).result.structuredContent.verdict).toBe('verified');
  });

  it('goes on when the client goes away', async () => {
    const submitted = new Promise<string>((resolve) => {
      gateway.commands.onSubmit = resolve;
    });
    const client = new AbortController();
    const call = rawCall(gateway.url, 'set_climate', { power: 'on' }, { signal: client.signal });
    const taskId = await submitted;
    client.abort();
    await expect(call).rejects.toThrow();
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'on' });
    const { body } = await rawCall(gateway.url, 'get_task', { task_id: taskId });
    expect(body.result.structuredContent).toMatchObject({ status: 'completed', result: { verdict: 'verified' } });
    expect(gateway.errors).toEqual([]);
  });

  it('is told how far its command has come when the gateway stops', async () => {
    const submitted = new Promise<string>((resolve) => {
      gateway.commands.onSubmit = resolve;
    });
    const call = rawCall(gateway.url, 'set_climate', { power: 'on' });
    const taskId = await submitted;
    await gateway.close();
    expect((await call).body.result.structuredContent).toMatchObject({ task_id: taskId, status: 'working' });
    gateway = await startGateway();
  });
});

describe('what cannot be carried out', () => {
  it('is refused with a verdict and what is allowed, to a client with tasks too', async () => {
    const { body } = await rawCall(
      gateway.url,
      'set_climate',
      { target_temperature: 99 },
      { capabilities: TASK_CLIENT },
    );
    expect(body.result).toMatchObject({
      resultType: 'complete',
      isError: true,
      structuredContent: { verdict: 'rejected', reason: 'out_of_range' },
    });
    expect(body.result.content[0].text).toContain('16 to 30 °C');
  });

  it.each([
    ['another kind', 'set_fan', { device: 'living_room_ac', power: 'on' }, 'unknown_device', 'bedroom_fan'],
    ['no field', 'set_fan', {}, 'nothing_to_do', 'field'],
    ['an argument of the wrong type', 'get_task', { task_id: 5 }, 'bad_value', 'task_id'],
    ['a wait without end', 'get_task', { task_id: 'x', wait_s: 3_600 }, 'bad_value', 'wait_s'],
    ['a handle that nobody knows', 'get_task', { task_id: 'x' }, 'unknown_task', 'x'],
    ['a handle that nobody knows, to cancel', 'cancel_task', { task_id: 'x' }, 'unknown_task', 'x'],
    ['a device that is not there', 'get_state', { device: 'oven' }, 'unknown_device', 'living_room_ac'],
  ])('is refused in one line: %s', async (_, tool, args, error, named) => {
    const { body } = await rawCall(gateway.url, tool, args);
    expect(body.result).toMatchObject({ isError: true, structuredContent: { ok: false, error } });
    expect(body.result.content).toHaveLength(1);
    expect(body.result.content[0].text).toContain(named);
    expect(body.result.content[0].text).not.toContain('\n');
  });

  it('is -32602 where the tool does not exist', async () => {
    const { body } = await rawCall(gateway.url, 'set_oven', {});
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining('set_oven') });
  });

  it('is told as the gateway tells it where it cannot take commands', async () => {
    gateway.commands.refuseWith = new UserError('store_unavailable', 'The disk is full: nothing was sent.');
    const { body } = await rawCall(gateway.url, 'set_climate', { power: 'on' });
    expect(body.result).toMatchObject({ isError: true, content: [{ text: 'The disk is full: nothing was sent.' }] });
  });

  it('keeps the text of our own faults in the log', async () => {
    gateway.commands.refuseWith = new TypeError('undefined is not a secret at /home/pi/readback.json');
    const { body } = await rawCall(gateway.url, 'set_climate', { power: 'on' });
    expect(body.error.code).toBe(-32603);
    expect(JSON.stringify(body)).not.toContain('/home/pi');
    expect(gateway.errors).toEqual([gateway.commands.refuseWith]);
  });
});

describe('a client with tasks', () => {
  it('gets the task at once, with an id of 128 random bits or more', async () => {
    const { body } = await rawCall(gateway.url, 'set_climate', { power: 'on' }, { capabilities: TASK_CLIENT });
    expect(isCreateTaskResultV2(body.result)).toBe(true);
    expect(body.result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 300_000 });
    expect(Buffer.from(body.result.taskId, 'base64url').length).toBeGreaterThanOrEqual(16);
  });
});

describe('get_state', () => {
  it('tells every value with its age, and what is not known', async () => {
    gateway.commands.know('living_room_ac', { power: 'on', target_temperature: 26 });
    gateway.commands.advance(90_000);
    gateway.commands.know('living_room_ac', { current_temperature: 24 });
    const { body } = await rawCall(gateway.url, 'get_state', { device: 'living_room_ac' });
    const [device] = body.result.structuredContent.devices;
    expect(device).toMatchObject({ device: 'living_room_ac', area: 'Living room', kind: 'climate', reachable: true });
    expect(device.values.target_temperature).toMatchObject({ value: 26, age_s: 90 });
    expect(device.values.fan_mode).toEqual({ value: null, observed_at: null, age_s: null });
    expect(body.result.content[0].text).toBe(
      'Living-room AC (living_room_ac, Living room) is reachable. 90 s ago: power on, target_temperature 26 °C; ' +
        'Not known: hvac_mode, fan_mode, swing_mode, swing_horizontal_mode; 0 s ago: current_temperature 24 °C.',
    );
  });

  it('tells of every device where none is named', async () => {
    const { body } = await rawCall(gateway.url, 'get_state', {});
    expect(body.result.structuredContent.devices.map((each: { device: string }) => each.device)).toEqual([
      'living_room_ac',
      'bedroom_fan',
    ]);
  });
});

describe('what a client can act on', () => {
  it('is said with a verdict that is not what was wished', async () => {
    gateway.commands.know('living_room_ac', { target_temperature: 22 });
    gateway.commands.onSubmit = (id) => {
      gateway.commands.send(id);
      gateway.commands.read(id, { target_temperature: 22 });
      gateway.commands.expire(id);
    };
    const { body } = await rawCall(gateway.url, 'set_climate', { target_temperature: 26 });
    expect(body.result.content[0].text).toMatch(/read 22 °C.*did not move.*Tell the user/);
    const taskId = String((await gateway.commands.list({ principal: 'local', limit: 1 }))[0]?.taskId);
    const later = await rawCall(gateway.url, 'get_task', { task_id: taskId });
    expect(later.body.result.content[0].text).toMatch(/^failed: .*Tell the user/);
  });

  it('is what became of a verified value since: get_task tells it, and the verdict stays', async () => {
    gateway.commands.onSubmit = (id) => {
      gateway.commands.send(id);
      gateway.commands.read(id, { target_temperature: 26 });
    };
    await rawCall(gateway.url, 'set_climate', { target_temperature: 26 });
    const taskId = String((await gateway.commands.list({ principal: 'local', limit: 1 }))[0]?.taskId);
    const at = { mono: 9_000, wall: Date.UTC(2026, 10, 30, 12) };
    const drift = { type: 'drifted' as const, taskId, deviceId: 'living_room_ac', field: 'target_temperature' };
    gateway.commands.drifts = [{ ...drift, from: 26, to: 23, at }];
    const { body } = await rawCall(gateway.url, 'get_task', { task_id: taskId });
    expect(body.result.structuredContent).toMatchObject({
      status: 'completed',
      result: { verdict: 'verified' },
      drifted: [{ field: 'target_temperature', from: 26, to: 23, at: '2026-11-30T12:00:00.000Z' }],
    });
    expect(body.result.content[0].text).toContain('target_temperature changed from 26 to 23, unasked');
  });

  it('keeps to the output schema that the tools are listed with, which names every verdict', async () => {
    const { body } = await rawRpc(gateway.url, 'tools/list');
    const setters = body.result.tools.filter(({ name }: { name: string }) => name.startsWith('set_'));
    for (const { outputSchema } of setters) expect(outputSchema.properties.verdict.enum).toEqual([...VERDICTS, null]);
  });
});

describe('answer_task', () => {
  it('is there only where the owner lets a model answer', async () => {
    const names = async (url: string) =>
      (await rawRpc(url, 'tools/list')).body.result.tools.map((tool: { name: string }) => tool.name);
    expect(await names(gateway.url)).not.toContain('answer_task');
    expect((await rawCall(gateway.url, 'answer_task', { task_id: 'x', approve: true })).body.error.code).toBe(-32602);

    const lenient = await startGateway({ specs: [withApproval(DEMO_AC)], inlineWaitMs: 1, modelMayAnswer: true });
    expect(await names(lenient.url)).toContain('answer_task');
    const held = await rawCall(lenient.url, 'set_climate', { target_temperature: 30 });
    const { task_id } = held.body.result.structuredContent;
    const answered = await rawCall(lenient.url, 'answer_task', { task_id, approve: true });
    expect(answered.body.result.structuredContent).toMatchObject({ ok: true, task_id, status: 'working' });
    expect((await lenient.commands.get(task_id, 'local'))?.approval?.answer?.through).toBe('answer_task');
    const late = await rawCall(lenient.url, 'answer_task', { task_id, approve: false });
    expect(late.body.result).toMatchObject({ isError: true, structuredContent: { ok: false, error: 'not_waiting' } });
    await lenient.close();
  });
});

describe('the handle tools', () => {
  const start = async () =>
    (await rawCall(gateway.url, 'set_fan', { power: 'on' }, { capabilities: TASK_CLIENT })).body.result.taskId;

  it('waits for the verdict as long as it is told to', async () => {
    const taskId = await start();
    gateway.commands.send(taskId);
    const waiting = rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 20 });
    const early = await rawCall(gateway.url, 'get_task', { task_id: taskId });
    expect(early.body.result.structuredContent).toMatchObject({ ok: true, status: 'working' });
    expect(early.body.result.structuredContent.result).toBeUndefined();
    gateway.commands.read(taskId, { power: 'on' });
    expect((await waiting).body.result.structuredContent).toMatchObject({
      status: 'completed',
      result: { verdict: 'verified' },
    });
  });

  it('calls a verdict that is not what was wished failed, and says what was seen', async () => {
    const taskId = await start();
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { power: 'off' });
    gateway.commands.expire(taskId);
    const { body } = await rawCall(gateway.url, 'get_task', { task_id: taskId });
    expect(body.result.isError).toBe(true);
    expect(body.result.structuredContent).toMatchObject({
      status: 'failed',
      status_message: expect.stringMatching(/sent power on.*read off/),
    });
  });

  it('says on cancelling that nothing was sent, or that it is not taken back, or that it had ended', async () => {
    const [held, sent, ended] = [await start(), await start(), await start()];
    gateway.commands.send(sent);
    gateway.commands.send(ended);
    gateway.commands.read(ended, { power: 'on' });
    const cancel = async (task_id: string) => (await rawCall(gateway.url, 'cancel_task', { task_id })).body.result;
    expect((await cancel(held)).content[0].text).toContain('before it was sent');
    expect((await cancel(sent)).content[0].text).toContain('not taken back');
    expect(await cancel(ended)).toMatchObject({
      content: [{ text: expect.stringContaining('it had ended: Bedroom fan: verified') }],
      structuredContent: { ok: true, status: 'completed' },
    });
    gateway.commands.apply(sent, { type: 'tick' });
    const later = await rawCall(gateway.url, 'get_task', { task_id: sent });
    expect(later.body.result.structuredContent.status).toBe('cancelled');
  });
});

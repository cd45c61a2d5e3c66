import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { resultFromTaskOutcome, type SerializedTaskReference } from '@modelcontextprotocol/ext-tasks/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, settled, submit, truth } from '../support/daemon.ts';
import { connectOlderClient } from '../support/older-client.ts';
import { rawCall } from '../support/raw-rpc.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 120_000 });

const YES = { action: 'accept', content: { approve: true } } as const;
/** Outside of 20 to 28 degrees the home asks. */
const DELICATE = 30;

let daemons: Daemons;
let simulator: Simulator;

beforeEach(async () => {
  daemons = new Daemons();
  simulator = await daemons.simulator(200);
});

afterEach(async () => {
  await daemons.close();
});

/** What the device really received, in its own count. */
const commandsReceived = () => simulator.home.truth('ac').counts['ac']?.commands ?? 0;

async function readback(...args: string[]): Promise<{ code: number | null; text: string }> {
  const program = daemons.run(...args, '--data', daemons.path('data'));
  const { code } = await program.exited;
  return { code, text: program.stdout() + program.stderr() };
}

describe('a command that needs a person', () => {
  it('is not sent before the answer, survives a crash, and is approved on the command line, once', async () => {
    const first = await daemons.gateway(simulator);
    const taskId = await submit(await daemons.client(first.url), DELICATE);
    await first.program.end('SIGKILL');
    const second = await daemons.gateway(simulator);
    const client = await daemons.client(second.url);

    const list = await readback('approvals');
    expect(list.text).toContain(`${taskId}  Set Quick AC: target_temperature from 24 °C to 30 °C?`);
    expect(commandsReceived()).toBe(0);

    expect(await readback('approve', taskId.slice(0, 10))).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^Approved\. Quick AC/),
    });
    expect(await settled(client, taskId)).toMatchObject({ status: 'completed', result: { verdict: 'verified' } });

    const late = await readback('deny', taskId);
    expect(late).toMatchObject({ code: 1, text: expect.stringMatching(/^readback: Nothing waits under this id/) });
    expect(commandsReceived()).toBe(1);
    expect((await readback('approvals')).text).toBe('Nothing waits for an answer.\n');
  });

  it('is never sent where the answer is no', async () => {
    const { url } = await daemons.gateway(simulator);
    const client = await daemons.client(url);
    const taskId = await submit(client, DELICATE);
    expect((await readback('deny', taskId)).text).toMatch(/^Denied\. .*nothing was sent/);
    expect(await settled(client, taskId)).toMatchObject({ status: 'failed', result: { verdict: 'declined' } });
    // A command that is sent after it proves that nothing was held back.
    await settled(client, await submit(client, 26));
    expect(simulator.home.truth('ac').entries.filter(({ type }) => type === 'command')).toMatchObject([
      { body: { temperature: 26 } },
    ]);
  });

  it('may be answered after a restart by the call that raised it', async () => {
    const capabilities = { elicitation: { form: {} } };
    const args = { target_temperature: DELICATE };
    const first = await daemons.gateway(simulator);
    const { requestState } = (await rawCall(first.url, 'set_climate', args, { capabilities })).body.result;
    await first.program.end('SIGKILL');
    const second = await daemons.gateway(simulator);
    expect(commandsReceived()).toBe(0);
    const params = { requestState, inputResponses: { approval: YES } };
    const again = () => rawCall(second.url, 'set_climate', args, { capabilities, params });
    expect((await again()).body.result.structuredContent).toMatchObject({ verdict: 'verified' });
    expect((await again()).body.error.code).toBe(-32602);
    expect(commandsReceived()).toBe(1);
  });

  it('is asked within the task by the client of the Tasks extension', async () => {
    const { url } = await daemons.gateway(simulator);
    const asked: number[] = [];
    const client = await daemons.client(url, () => {
      asked.push(commandsReceived());
      return YES;
    });
    const execution = await client.session.callTool('set_climate', { target_temperature: DELICATE });
    expect(execution.kind).toBe('task');
    expect(resultFromTaskOutcome((await execution.settle()).outcome)).toMatchObject({
      structuredContent: { verdict: 'verified' },
    });
    expect(asked).toEqual([0]);
  });

  it('is asked within the call by the client of the SDK before', async () => {
    const { url } = await daemons.gateway(simulator);
    const asked: number[] = [];
    const older = await connectOlderClient(url, () => {
      asked.push(commandsReceived());
      return YES;
    });
    const result = await older.call('set_climate', { target_temperature: DELICATE });
    expect(result.structuredContent).toMatchObject({ verdict: 'verified' });
    expect(asked).toEqual([0]);
    await older.close();
  });
});

describe('the client of the Tasks extension', () => {
  it('cancels, and is told that the command is not taken back', async () => {
    const { url } = await daemons.gateway(simulator);
    const client = await daemons.client(url);
    simulator.home.arm('ac', 'ignore');
    const received = truth(simulator, 'command');
    const execution = await client.session.callTool('set_climate', { target_temperature: 26 });
    await received;
    await execution.cancel();
    expect((await execution.settle()).outcome.status).toBe('cancelled');
    expect(await settled(client, String(execution.handle?.taskId))).toMatchObject({
      status: 'cancelled',
      status_message: expect.stringContaining('not taken back'),
    });
  });

  it('takes its task up again after its process was killed', async () => {
    const { url } = await daemons.gateway(simulator);
    const script = fileURLToPath(new URL('../fixtures/killed-client.mjs', import.meta.url));
    const process = fork(script, [url]);
    const [reference] = await once(process, 'message');
    process.kill('SIGKILL');
    await once(process, 'exit');
    const { session } = await daemons.client(url);
    const resumed = await session.resumeTask(reference as SerializedTaskReference);
    expect(resultFromTaskOutcome((await resumed.settle()).outcome)).toMatchObject({
      structuredContent: { verdict: 'verified' },
    });
    expect(commandsReceived()).toBe(1);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, settled, stateOf, submit, truth } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

let daemons: Daemons;
let simulator: Simulator;

beforeEach(async () => {
  daemons = new Daemons();
  simulator = await daemons.simulator(400);
});

afterEach(async () => {
  await daemons.close();
});

function commandsReceived(): number | undefined {
  return simulator.home.truth('ac').counts['ac']?.commands;
}

/** Commands the AC, kills the gateway when the device has received it, starts it again and waits for the verdict. */
async function killedOnReception(): Promise<unknown> {
  const first = await daemons.gateway(simulator);
  const received = truth(simulator, 'command');
  const taskId = await submit(await daemons.client(first.url), 26);
  await received;
  expect(await first.program.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  const second = await daemons.gateway(simulator);
  return settled(await daemons.client(second.url), taskId);
}

describe('a gateway that is killed', () => {
  it('while it verifies goes on after the restart, under the same handle', async () => {
    const first = await daemons.gateway(simulator);
    const client = await daemons.client(first.url);
    // Long enough for the kill to come before the verdict, however slow the machine.
    simulator.home.setDelay('ac', 1_500);
    const acted = truth(simulator, 'actuation');
    const taskId = await submit(client, 26);
    await expect
      .poll(() => stateOf(client, taskId), { timeout: 10_000 })
      .toMatchObject({ status: 'working', status_message: expect.stringContaining('reading back') });
    await first.program.end('SIGKILL');
    await acted;

    const second = await daemons.gateway(simulator);
    expect(await settled(await daemons.client(second.url), taskId)).toMatchObject({
      task_id: taskId,
      status: 'completed',
      result: { verdict: 'verified', fields: { target_temperature: { sent: 26, observed: 26 } } },
    });
    expect(commandsReceived()).toBe(1);
  });

  it('before the device has answered is decided by readings, and nothing is sent again', async () => {
    simulator.home.arm('ac', 'slow', { by_ms: 60_000 });
    expect(await killedOnReception()).toMatchObject({ status: 'completed', result: { verdict: 'verified' } });
    expect(commandsReceived()).toBe(1);
  });

  it('before the device has answered, with nothing moving since, admits that it does not know', async () => {
    simulator.home.arm('ac', 'slow', { by_ms: 60_000 });
    simulator.home.arm('ac', 'ignore');
    expect(await killedOnReception()).toMatchObject({
      status: 'failed',
      result: { verdict: 'unconfirmed', reason: 'outcome_unknown' },
    });
    expect(commandsReceived()).toBe(1);
  });
});

import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Daemons, settled, submit, truth } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

let daemons: Daemons;

beforeEach(() => {
  daemons = new Daemons();
});

afterEach(async () => {
  await daemons.close();
});

describe('a command', () => {
  it('is verified by what the device shows, and the client of the Tasks extension hears of it', async () => {
    const simulator = await daemons.simulator(300);
    const { url } = await daemons.gateway(simulator);
    const { session } = await daemons.client(url);
    const acted = truth(simulator, 'actuation');
    const execution = await session.callTool('set_climate', { target_temperature: 26 });
    expect(execution.kind).toBe('task');
    const { outcome, lastTask } = await execution.settle();
    expect(await acted).toMatchObject({ changes: { temperature: { from: 24, to: 26 } } });
    expect(lastTask).toMatchObject({ status: 'completed' });
    expect(resultFromTaskOutcome(outcome)).toMatchObject({
      structuredContent: {
        verdict: 'verified',
        fields: { target_temperature: { sent: 26, before: 24, observed: 26, evidence: 3 } },
      },
    });
  });

  it('that the device ignores ends as ignored, for all that it answered 200', async () => {
    const simulator = await daemons.simulator(100);
    simulator.home.arm('ac', 'ignore');
    const { url } = await daemons.gateway(simulator);
    const client = await daemons.client(url);
    const taskId = await submit(client, 26);
    expect(await settled(client, taskId)).toMatchObject({
      status: 'failed',
      result: { verdict: 'ignored', fields: { target_temperature: { sent: 26, observed: 24 } } },
    });
  });
});

describe('a stop by SIGTERM', () => {
  it('ends in order, and the command goes on at the next start', async () => {
    const simulator = await daemons.simulator(500);
    const first = await daemons.gateway(simulator);
    const received = truth(simulator, 'command');
    const taskId = await submit(await daemons.client(first.url), 26);
    await received;
    // Longer than five seconds the program does not allow itself: it would end with 1.
    expect(await first.program.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const second = await daemons.gateway(simulator);
    expect(await settled(await daemons.client(second.url), taskId)).toMatchObject({
      status: 'completed',
      result: { verdict: 'verified' },
    });
    expect(simulator.home.truth('ac').counts['ac']?.commands).toBe(1);
  });
});

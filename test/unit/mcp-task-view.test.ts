import { isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { describe, expect, it } from 'vitest';
import type { Actuation, Outcome } from '../../gateway/domain/actuation.ts';
import { open } from '../../gateway/domain/open.ts';
import { plan } from '../../gateway/domain/plan.ts';
import { VERDICTS } from '../../gateway/domain/verdict.ts';
import { olderTask } from '../../gateway/mcp/older-tasks.ts';
import { detailedTask, seedOf } from '../../gateway/mcp/task.ts';
import { handleTask, taskOf } from '../../gateway/mcp/task-view.ts';
import { DEMO_AC, withApproval } from '../support/demo-devices.ts';

/** A client that can ask its person, one that cannot, and one of protocol 2025-11-25 that cannot. */
const ASKING = { elicits: true };
const MUTE = { elicits: false };
const OLDER = { elicits: false, older: { wantsTask: true } };

const at = { mono: 1_000, wall: Date.UTC(2026, 10, 30) };

function command(target_temperature = 26): Actuation {
  const spec = withApproval(DEMO_AC);
  return open({
    taskId: 'T',
    principal: 'local',
    spec,
    known: {},
    plan: plan(spec, {}, { target_temperature }),
    at,
    boot: 'test',
    ttlMs: 300_000,
    approvalTtlMs: 60_000,
  });
}

const ended = (outcome: Outcome): Actuation => ({ ...command(), phase: 'settled', outcome });

const verdict = (
  word: (typeof VERDICTS)[number],
  reason: Extract<Outcome, { type: 'verdict' }>['reason'] = null,
): Outcome => ({ type: 'verdict', verdict: word, reason, at });

describe('a verdict', () => {
  it('that is verified completes the task everywhere', () => {
    const actuation = ended(verdict('verified'));
    const task = taskOf(actuation, ASKING);
    expect(task.status).toBe('completed');
    expect(task.status === 'completed' && task.result.isError).toBeUndefined();
    expect(handleTask(actuation).status).toBe('completed');
  });

  it('that nobody can make for want of a readback completes it everywhere too', () => {
    const actuation = ended(verdict('unconfirmed', 'no_readback'));
    const task = taskOf(actuation, ASKING);
    expect(task).toMatchObject({ status: 'completed', result: expect.not.objectContaining({ isError: true }) });
    expect(handleTask(actuation).status).toBe('completed');
  });

  it.each([
    ...VERDICTS.filter((word) => word !== 'verified').map((word) => [word, null] as const),
    ['unconfirmed', 'outcome_unknown'] as const,
  ])('of %s (%s) completes with isError in the extension, and fails in the handle tools', (word, reason) => {
    const actuation = ended(verdict(word, reason));
    expect(taskOf(actuation, ASKING)).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(handleTask(actuation).status).toBe('failed');
    expect(olderTask(taskOf(actuation, OLDER)).status).toBe('failed');
  });
});

describe('every other state', () => {
  it.each(['queued', 'sending', 'verifying'] as const)('%s is working', (phase) => {
    const actuation = { ...command(), phase };
    expect(taskOf(actuation, ASKING).status).toBe('working');
    expect(handleTask(actuation).status).toBe('working');
  });

  it('awaiting_approval asks where the client can elicit', () => {
    const actuation = command(30);
    expect(taskOf(actuation, ASKING).status).toBe('input_required');
    expect(taskOf(actuation, MUTE).status).toBe('working');
    expect(handleTask(actuation).status).toBe('input_required');
    expect(taskOf(actuation, OLDER).status).toBe('input_required');
  });

  it('awaiting_approval says where to answer to those whose client cannot ask them', () => {
    const actuation = command(30);
    expect(taskOf(actuation, MUTE).statusMessage).toMatch(/nothing has been sent.*`readback approve T`.*dashboard/);
    expect(handleTask(actuation).status_message).toContain('`readback approve T`');
    expect(taskOf(actuation, ASKING).statusMessage).not.toContain('readback approve');
    expect(taskOf(command(), MUTE).statusMessage).not.toContain('readback approve');
  });

  it('cancelled is cancelled', () => {
    const actuation = ended({ type: 'cancelled', sent: true, at });
    expect(taskOf(actuation, ASKING).status).toBe('cancelled');
    expect(handleTask(actuation).status).toBe('cancelled');
  });

  it.each(['ttl', 'internal'] as const)('a failure (%s) is a JSON-RPC error', (fault) => {
    const actuation = ended({ type: 'failed', fault, message: 'the time is over', at });
    expect(taskOf(actuation, ASKING)).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'the time is over' },
    });
    expect(handleTask(actuation).status).toBe('failed');
  });
});

describe('the shapes', () => {
  it('of the extension are those that its own schemas accept', () => {
    const states = [
      command(),
      command(30),
      ended(verdict('ignored', 'no_reaction')),
      ended({ type: 'cancelled', sent: false, at }),
      ended({ type: 'failed', fault: 'ttl', message: 'over', at }),
    ];
    for (const state of states) expect(isDetailedTaskV2(detailedTask(taskOf(state, ASKING)))).toBe(true);
  });

  it('leave result and questions out of the seed', () => {
    const seed = seedOf(taskOf(command(30), ASKING));
    expect(Object.keys(seed).sort()).toEqual([
      'createdAt',
      'lastUpdatedAt',
      'pollIntervalMs',
      'resultType',
      'status',
      'statusMessage',
      'taskId',
      'ttlMs',
    ]);
  });

  it('of protocol 2025-11-25 are those of its Task', () => {
    expect(olderTask(taskOf(command(), OLDER))).toEqual({
      taskId: 'T',
      status: 'working',
      statusMessage: expect.stringContaining('Living-room AC'),
      createdAt: '2026-11-30T00:00:00.000Z',
      lastUpdatedAt: '2026-11-30T00:00:00.000Z',
      ttl: 300_000,
      pollInterval: 1_000,
    });
  });

  it("of the handle tools have the seven names of MCP's Task", () => {
    expect(handleTask(command())).toEqual({
      task_id: 'T',
      status: 'working',
      status_message: expect.stringContaining('Living-room AC'),
      created_at: '2026-11-30T00:00:00.000Z',
      last_updated_at: '2026-11-30T00:00:00.000Z',
      ttl: 300_000,
      poll_interval: 1_000,
    });
  });
});

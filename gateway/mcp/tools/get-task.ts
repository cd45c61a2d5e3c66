import * as z from 'zod';
import type { Commands } from '../../actuation/commands.ts';
import { isSettled } from '../../domain/actuation.ts';
import type { Drifted } from '../../domain/drift.ts';
import { UserError } from '../../domain/errors.ts';
import { result } from '../../domain/result.ts';
import { clockMark, iso } from '../../domain/time.ts';
import { waitInline } from '../inline-wait.ts';
import { handleTask, verdictText } from '../task-view.ts';
import { defineTool, type Tool } from '../tool.ts';

/** Longer than this a call does not wait: many clients give up on a request after a minute. */
const MAX_WAIT_S = 60;

/**
 * `get_task`: how a command stands, after waiting for its end if asked to; and what became of a verified value since, for
 * as long as it was watched.
 */
export function getTaskTool(commands: Commands, stopping: AbortSignal): Tool {
  return defineTool({
    name: 'get_task',
    description: 'How a command stands, and its verdict once there is one; waits up to wait_s seconds for it.',
    scope: 'read',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.object({ task_id: z.string(), wait_s: z.number().min(0).max(MAX_WAIT_S).optional() }),
    async run({ task_id, wait_s = 0 }, ctx, { principal }) {
      const found = await commands.get(task_id, principal);
      if (!found) throw unknownTask(task_id);
      const waits = wait_s > 0 && !isSettled(found);
      const actuation = waits
        ? await waitInline({ commands, actuation: found, forMs: wait_s * 1_000, ctx, stopping })
        : found;
      const task = handleTask(actuation);
      const drifts = await commands.aftermath(task_id, principal);
      const text = isSettled(actuation) ? verdictText(actuation) : task.status_message;
      return {
        content: [{ type: 'text', text: [`${task.status}: ${text}`, ...drifts.map(driftText)].join(' ') }],
        structuredContent: {
          ok: true,
          ...task,
          ...(isSettled(actuation) && { result: result(actuation) }),
          ...(drifts.length > 0 && { drifted: drifts.map(driftData) }),
        },
        ...(task.status === 'failed' && { isError: true }),
      };
    },
  });
}

function driftText({ field, from, to, at }: Drifted): string {
  return `Since then ${field} changed from ${from} to ${to}, unasked, at ${iso(at)}.`;
}

function driftData({ field, from, to, at }: Drifted): object {
  return { field, from, to, at: iso(at), ...clockMark(at) };
}

/** What the handle tools say of an id that they do not know. */
export function unknownTask(taskId: string): UserError {
  const shown = taskId.length > 60 ? `${taskId.slice(0, 57)}…` : taskId;
  return new UserError('unknown_task', `There is no task "${shown}": it never existed, or its time is over.`);
}

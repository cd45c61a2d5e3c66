import * as z from 'zod';
import type { Answer, Commands } from '../actuation/commands.ts';
import { UserError } from '../domain/errors.ts';
import type { Caller } from './caller.ts';
import type { TaskSource } from './task.ts';
import { APPROVAL_KEY, taskOf } from './task-view.ts';

/** What a client sends back for a form: MCP's `ElicitResult`. */
const elicitResult = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.looseObject({ approve: z.boolean().optional() }).optional(),
});

/** The gateway's commands as tasks of the extension. */
export function actuationTasks(commands: Commands): TaskSource {
  return {
    async get(taskId, caller) {
      const actuation = await commands.get(taskId, caller.principal);
      return actuation && taskOf(actuation, caller.elicits);
    },
    async answer(taskId, caller, responses) {
      const answer = approvalAnswer(responses[APPROVAL_KEY], caller);
      if (!answer) return (await commands.get(taskId, caller.principal)) !== undefined;
      try {
        return (await commands.answer(taskId, caller.principal, answer)) !== undefined;
      } catch (error) {
        // The question was answered through another door, or never asked: the protocol wants late answers ignored.
        if (error instanceof UserError && error.code === 'not_waiting') return true;
        throw error;
      }
    },
    async cancel(taskId, caller) {
      return (await commands.cancel(taskId, caller.principal)) !== undefined;
    },
    subscribe(listener) {
      return commands.subscribe((actuation) =>
        listener({ taskId: actuation.taskId, as: (caller) => taskOf(actuation, caller.elicits) }),
      );
    },
  };
}

/** A person's yes or no. A form that was dismissed is neither: the question stays open for the other doors. */
function approvalAnswer(response: unknown, caller: Caller): Answer | undefined {
  const { data } = elicitResult.safeParse(response);
  if (!data || data.action === 'cancel') return undefined;
  const approved = data.action === 'accept' && data.content?.approve === true;
  return { approved, by: caller.principal, through: 'mcp' };
}

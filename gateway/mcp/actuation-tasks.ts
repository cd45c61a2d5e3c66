import type { Commands } from '../actuation/commands.ts';
import { UserError } from '../domain/errors.ts';
import { APPROVAL_KEY, readApproval } from './approval.ts';
import type { TaskSource } from './task.ts';
import { taskOf } from './task-view.ts';

/** The gateway's commands as tasks of the extension. */
export function actuationTasks(commands: Commands): TaskSource {
  return {
    async get(taskId, caller) {
      const actuation = await commands.get(taskId, caller.principal);
      return actuation && taskOf(actuation, caller);
    },
    async answer(taskId, caller, responses) {
      const answer = readApproval(responses[APPROVAL_KEY], caller);
      // A form that was put away is no answer: the question stays open for the other doors.
      if (answer === undefined || answer === 'dismissed')
        return (await commands.get(taskId, caller.principal)) !== undefined;
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
    async list(caller, limit, after) {
      const actuations = await commands.list({
        principal: caller.principal,
        limit,
        ...(after !== undefined && { after }),
      });
      return actuations.map((actuation) => taskOf(actuation, caller));
    },
    subscribe(listener) {
      return commands.subscribe((actuation) =>
        listener({ taskId: actuation.taskId, as: (caller) => taskOf(actuation, caller) }),
      );
    },
  };
}

import type { Commands } from '../actuation/commands.ts';
import type { Actuation } from '../domain/actuation.ts';
import { UserError } from '../domain/errors.ts';
import { APPROVAL_KEY, readApproval } from './approval.ts';
import type { Caller } from './caller.ts';
import type { Task, TaskSource } from './task.ts';
import { taskOf } from './task-view.ts';

/** In a task's `_meta`, while it is under way: how long it usually takes from the send, in ms. */
export const USUAL = 'readback/usual_ms';

/** The gateway's commands as tasks of the extension. */
export function actuationTasks(commands: Commands): TaskSource {
  // A record never changes, and how a command ended is the same for whoever may ask: it is worded once.
  const ended = new WeakMap<Actuation, Task>();
  const shown = (actuation: Actuation, caller: Caller): Task => {
    const task = ended.get(actuation) ?? taskOf(actuation, caller);
    if (actuation.outcome) {
      ended.set(actuation, task);
      return task;
    }
    const fields = actuation.fields.map(({ field }) => field);
    const usualMs = commands.usualMs(actuation.deviceId, fields);
    return usualMs === null ? task : { ...task, _meta: { [USUAL]: Math.round(usualMs) } };
  };
  return {
    async get(taskId, caller) {
      const actuation = await commands.get(taskId, caller.principal);
      return actuation && shown(actuation, caller);
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
        listener({ taskId: actuation.taskId, as: (caller) => shown(actuation, caller) }),
      );
    },
  };
}

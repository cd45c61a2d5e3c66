import * as z from 'zod';
import type { Commands } from '../../actuation/commands.ts';
import { handleTask } from '../task-view.ts';
import { defineTool, type Tool } from '../tool.ts';
import { unknownTask } from './get-task.ts';

/** `answer_task`: a model answers the question of a command. There only where the owner of the home allows it. */
export function answerTaskTool(commands: Commands): Tool {
  return defineTool({
    name: 'answer_task',
    description: 'Answer the question of a command that waits for approval, as the user wishes.',
    scope: 'approve',
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    input: z.object({ task_id: z.string(), approve: z.boolean() }),
    async run({ task_id, approve }, _ctx, { principal }) {
      const answer = { approved: approve, by: principal, through: 'answer_task' };
      const actuation = await commands.answer(task_id, principal, answer);
      if (!actuation) throw unknownTask(task_id);
      const task = handleTask(actuation);
      return { content: [{ type: 'text', text: task.status_message }], structuredContent: { ok: true, ...task } };
    },
  });
}

import * as z from 'zod';
import type { Commands } from '../../actuation/commands.ts';
import { handleTask } from '../task-view.ts';
import { defineTool, type Tool } from '../tool.ts';
import { unknownTask } from './get-task.ts';

/**
 * `cancel_task`: stops following a command. The answer says whether it was still held back, or had been sent, in which
 * case nothing takes it back from the device.
 */
export function cancelTaskTool(commands: Commands): Tool {
  return defineTool({
    name: 'cancel_task',
    description: 'Stop following a command; it is not sent if it still waits, but one already sent is not taken back.',
    scope: 'control',
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    input: z.object({ task_id: z.string() }),
    async run({ task_id }, _ctx, { principal }) {
      const actuation = await commands.cancel(task_id, principal);
      if (!actuation) throw unknownTask(task_id);
      const task = handleTask(actuation);
      const cancelled = task.status === 'cancelled';
      const text = cancelled ? task.status_message : `Nothing to cancel, it had ended: ${task.status_message}`;
      return { content: [{ type: 'text', text }], structuredContent: { ok: true, ...task } };
    },
  });
}

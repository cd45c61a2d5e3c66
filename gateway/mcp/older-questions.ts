import { RELATED_TASK_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { TaskSource } from './task.ts';

/** People take their time; the question is taken back as soon as it is answered elsewhere or runs out. */
const PATIENCE_MS = 24 * 3_600_000;

/**
 * Puts every question of a task to the person at an older client, each as a request of ours within the one that is being
 * served, and hands the answers to the task. The questions outlive that request: an answer that comes after it counts.
 * @returns when none is open at this client any more: answered, put away, taken back because it was answered elsewhere,
 *   or lost with the connection. Never rejects
 */
export async function putQuestions(
  tasks: TaskSource,
  taskId: string,
  caller: Caller,
  ctx: ServerContext,
): Promise<void> {
  const over = new AbortController();
  const stop = tasks.subscribe?.((change) => {
    if (change.taskId === taskId && change.as(caller).status !== 'input_required') over.abort();
  });
  try {
    const task = await tasks.get(taskId, caller);
    if (task?.status !== 'input_required') return;
    const _meta = { [RELATED_TASK_META_KEY]: { taskId } };
    await Promise.allSettled(
      Object.entries(task.inputRequests).map(async ([key, { method, params }]) => {
        const request = { method, params: { ...params, _meta } };
        const response = await ctx.mcpReq.send(request, { signal: over.signal, timeout: PATIENCE_MS });
        await tasks.answer(taskId, caller, { [key]: response });
      }),
    );
  } finally {
    stop?.();
  }
}

import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';
import type { AskWithin } from './connection.ts';
import { formOf, type TaskState } from './task-state.ts';

/** By this name a request of the server says which task it belongs to. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

const relatedSchema = z.looseObject({ [RELATED_TASK]: z.looseObject({ taskId: z.string() }) });

/** A person may take this long to answer within a request, in ms. */
const PERSON_MS = 15 * 60_000;

/**
 * What a task of 2025-11-25 does not say of itself: its result has a request of its own, and over that, while it is open,
 * the server puts the task's questions.
 */
export class OlderTasks {
  readonly #client: Client;
  readonly #open = new Map<string, Promise<unknown>>();

  constructor(client: Client, ask: AskWithin) {
    this.#client = client;
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      ask(formOf(params), relatedSchema.safeParse(params._meta).data?.[RELATED_TASK].taskId ?? null, mcpReq.signal),
    );
  }

  /** A task with its result, if it has one; one that has questions is given the way to put them. */
  async complete(task: TaskState): Promise<TaskState> {
    if (task.status === 'completed') return { ...task, result: await this.#result(task.taskId) };
    // It is answered when the task ends; who wants to know of that asks after the task.
    if (task.status === 'input_required') void this.#result(task.taskId).catch(() => {});
    return task;
  }

  #result(taskId: string): Promise<unknown> {
    const open =
      this.#open.get(taskId) ??
      this.#client
        .request({ method: 'tasks/result', params: { taskId } }, z.looseObject({}), { timeout: PERSON_MS })
        .finally(() => this.#open.delete(taskId));
    this.#open.set(taskId, open);
    return open;
  }
}

import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Caller, olderCallerOf, requireScope } from './caller.ts';
import { putQuestions } from './older-questions.ts';
import { type FollowedTasks, hasEnded, type Task, type TaskSeed, type TaskStatus } from './task.ts';
import { wireError } from './wire-error.ts';

/** What a server of protocol 2025-11-25 announces. */
export const OLDER_TASKS_CAPABILITY = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** Tasks on one page of `tasks/list`. */
const PAGE = 50;

const taskParams = z.looseObject({ taskId: z.string() });
const listParams = z.looseObject({ cursor: z.string().optional() }).default({});

/** A task as protocol 2025-11-25 shows it. */
export type OlderTask = {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttl: number | null;
  readonly pollInterval: number;
};

/** Here a tool result with `isError` makes the task a failed one; the extension of 2026-07-28 calls it completed. */
export function olderTask(task: Task): OlderTask {
  const failed = task.status === 'completed' && task.result.isError === true;
  return olderTaskOf(task, failed ? 'failed' : task.status);
}

/**
 * The answer to a call that asked for a task. A task of this protocol begins as working, also one that has ended already
 * or asks at once: the next look shows it. The SDK demands the empty `content` of every answer to a call.
 */
export function olderSeed(seed: TaskSeed): Result {
  return { task: olderTaskOf(seed, 'working'), content: [] };
}

function olderTaskOf(facts: Omit<TaskSeed, 'resultType' | 'status'>, status: TaskStatus): OlderTask {
  const { taskId, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = facts;
  return { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl: ttlMs, pollInterval: pollIntervalMs };
}

/** Tells a session of the tasks that were made in it. */
export interface OlderTaskNotices {
  /** From now on the session hears of this task, until its end. */
  follow(taskId: string, caller: Caller): void;
}

/**
 * Serves the tasks of protocol 2025-11-25: `tasks/get`, `result`, `list`, `cancel`, and `notifications/tasks/status` for
 * those that were made in this session. Unknown tasks are -32602.
 */
export function serveOlderTasks(
  server: McpServer,
  tasks: FollowedTasks,
  onError: (error: Error) => void,
): OlderTaskNotices {
  const asking = new Set<string>();
  const serve = <Params>(
    method: string,
    params: z.ZodType<Params>,
    handle: (params: Params, caller: Caller, ctx: ServerContext) => Promise<Result>,
  ) =>
    server.server.setRequestHandler(method, { params }, async (given, ctx) => {
      try {
        return await handle(given, olderCallerOf(ctx, server), ctx);
      } catch (error) {
        throw wireError(error, onError);
      }
    });
  const known = async (taskId: string, caller: Caller) => (await tasks.get(taskId, caller)) ?? unknownTask();

  serve('tasks/get', taskParams, async ({ taskId }, caller) => olderTask(await known(taskId, caller)));
  serve('tasks/list', listParams, async ({ cursor }, caller) => {
    const page = await tasks.list(caller, PAGE, cursor);
    const last = page.at(-1);
    return { tasks: page.map(olderTask), ...(page.length === PAGE && last && { nextCursor: last.taskId }) };
  });
  serve('tasks/cancel', taskParams, async ({ taskId }, caller) => {
    requireScope(caller, 'tasks/cancel', 'control');
    const task = await known(taskId, caller);
    if (hasEnded(task)) throw badParams(`Cannot cancel a task that has ended: it is ${olderTask(task).status}`);
    await tasks.cancel(taskId, caller);
    return olderTask(await known(taskId, caller));
  });
  serve('tasks/result', taskParams, async ({ taskId }, caller, ctx) => {
    const ask = () => {
      // One form at a time: the person is the same whoever asks for the result.
      if (!caller.elicits || asking.has(taskId)) return;
      asking.add(taskId);
      void putQuestions(tasks, taskId, caller, ctx).finally(() => asking.delete(taskId));
    };
    await known(taskId, caller);
    const task = await ended(tasks, taskId, caller, ctx.mcpReq.signal, ask);
    if (task.status === 'failed') throw new ProtocolError(task.error.code, task.error.message);
    if (task.status !== 'completed') throw badParams(`The task has no result: ${task.statusMessage}`);
    const _meta = { ...task.result._meta, [RELATED_TASK_META_KEY]: { taskId } };
    return { ...task.result, _meta };
  });
  return notices(server, tasks, onError);
}

/** Waits for the end of a task. `onQuestion` is called for every state in which it asks. */
async function ended(
  tasks: FollowedTasks,
  taskId: string,
  caller: Caller,
  signal: AbortSignal,
  onQuestion: () => void,
): Promise<Task> {
  return new Promise<Task>((resolve, reject) => {
    const hear = (task: Task) => {
      if (task.status === 'input_required') onQuestion();
      if (hasEnded(task)) finish(() => resolve(task));
    };
    const finish = (end: () => void) => {
      stop();
      signal.removeEventListener('abort', onAbort);
      end();
    };
    const onAbort = () => finish(() => reject(badParams('The request was given up')));
    const stop = tasks.subscribe((change) => {
      if (change.taskId === taskId) hear(change.as(caller));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    // It may have ended between the question and the subscription.
    tasks.get(taskId, caller).then(
      (task) => (task ? hear(task) : finish(() => reject(unknownTaskError()))),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

function notices(server: McpServer, tasks: FollowedTasks, onError: (error: Error) => void): OlderTaskNotices {
  const followed = new Map<string, { readonly caller: Caller; told: string }>();
  let stop: (() => void) | undefined;
  const end = () => {
    stop?.();
    stop = undefined;
  };
  const previous = server.server.onclose;
  server.server.onclose = () => {
    end();
    previous?.();
  };
  const leave = (taskId: string) => {
    followed.delete(taskId);
    if (followed.size === 0) end();
  };
  const hear = (taskId: string, as: (caller: Caller) => Task) => {
    const follower = followed.get(taskId);
    if (!follower) return;
    const params = olderTask(as(follower.caller));
    if (params.statusMessage !== follower.told) {
      follower.told = params.statusMessage;
      // A client that does not listen misses it, and asks.
      server.server.notification({ method: 'notifications/tasks/status', params }).catch(() => undefined);
    }
    if (hasEnded(params)) leave(taskId);
  };
  return {
    follow(taskId, caller) {
      followed.set(taskId, { caller, told: '' });
      stop ??= tasks.subscribe((change) => hear(change.taskId, (whose) => change.as(whose)));
      // What has ended already changes no more, and nothing else would ever take it off the list.
      tasks
        .get(taskId, caller)
        .then((task) => (task ? hear(taskId, () => task) : leave(taskId)))
        .catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
    },
  };
}

function badParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function unknownTaskError(): ProtocolError {
  return badParams('Task not found: it never existed, or its time is over');
}

function unknownTask(): never {
  throw unknownTaskError();
}

import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';

/** MCP's name for the Tasks extension of protocol 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** MCP's five words for where a task stands. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** What every state of a task has. Times are ISO 8601. */
interface TaskFacts {
  readonly taskId: string;
  /** Where it stands, in one sentence for people and models. */
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** What a client may want to know beside it, under names of ours. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

type TaskState =
  | { readonly status: 'working' | 'cancelled' }
  /** Questions to the person at the client, by keys that are never used for a second question. */
  | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
  | { readonly status: 'completed'; readonly result: CallToolResult }
  /** Only for faults that JSON-RPC would report as an error; an unwelcome verdict is a completed task. */
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } };

/** A task as the extension shows it, whatever work stands behind it. */
export type Task = TaskFacts & TaskState;

/**
 * Where the extension finds tasks. A task of another principal is as unknown as one that never was: every method gives
 * undefined or false for both.
 */
export interface TaskSource {
  get(taskId: string, caller: Caller): Promise<Task | undefined>;
  /** Takes answers to open questions; those to anything else are ignored. @returns whether the task is known */
  answer(taskId: string, caller: Caller, responses: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Asks for the work to stop; one that has ended stays as it is. @returns whether the task is known */
  cancel(taskId: string, caller: Caller): Promise<boolean>;
  /**
   * A caller's tasks, newest first. Absent where there is no list of these tasks.
   * @param after continue after this task; nothing comes after one that is unknown
   */
  list?(caller: Caller, limit: number, after?: string): Promise<readonly Task[]>;
  /**
   * Hears every new state of every task, of whatever principal. Absent where nobody can listen to these tasks.
   * @returns a function that ends it
   */
  subscribe?(listener: (change: TaskChange) => void): () => void;
}

/** Tasks that can be listed and listened to, as protocol 2025-11-25 wants them. */
export type FollowedTasks = TaskSource & Required<Pick<TaskSource, 'list' | 'subscribe'>>;

export function canBeFollowed(tasks: TaskSource): tasks is FollowedTasks {
  return tasks.list !== undefined && tasks.subscribe !== undefined;
}

/** A new state of a task. */
export interface TaskChange {
  readonly taskId: string;
  /** The task as its owner sees it. */
  as(caller: Caller): Task;
}

/** Whether a task will never change again. */
export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** The answer to `tools/call` that stands in for a result: the extension's `CreateTaskResult`. */
export interface TaskSeed extends TaskFacts {
  readonly resultType: 'task';
  readonly status: TaskStatus;
}

/** What a client is told when its call becomes a task. */
export function seedOf(task: Task): TaskSeed {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  return { resultType: 'task', taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}

/**
 * The extension's `DetailedTask`, as `tasks/get` and `notifications/tasks` carry it. A result inside it is a whole
 * result and carries its own `resultType`: clients refuse it otherwise.
 */
export function detailedTask(task: Task): Record<string, unknown> {
  return task.status === 'completed' ? { ...task, result: { resultType: 'complete', ...task.result } } : { ...task };
}

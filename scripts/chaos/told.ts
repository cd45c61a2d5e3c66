import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

const taskSchema = z.looseObject({ taskId: z.string(), status: z.string() });

/** A task as a client was told of it. */
export type ToldTask = z.output<typeof taskSchema>;

const ENDS = ['completed', 'failed', 'cancelled'];

/** What became of an issued command, as its client saw it. */
export type Answer = 'task' | 'settled' | 'refused' | 'none';

/** Everything that clients were told. */
export class Told {
  readonly answers: Record<Answer, number> = { task: 0, settled: 0, refused: 0, none: 0 };
  /** The latest word on each task. */
  readonly #tasks = new Map<string, ToldTask>();
  readonly changed: { readonly before: ToldTask; readonly after: ToldTask }[] = [];
  readonly lost: string[] = [];
  /** How often a client was told of a settled task that it was told of before. */
  repeated = 0;

  get taskIds(): readonly string[] {
    return [...this.#tasks.keys()];
  }

  get tasks(): readonly ToldTask[] {
    return [...this.#tasks.values()];
  }

  /** The tasks whose end no client has heard of. */
  get open(): readonly string[] {
    return this.tasks.filter((task) => !hasEnded(task)).map(({ taskId }) => taskId);
  }

  /** A client hears of a task. @throws ZodError where it is told of none */
  hear(word: unknown): ToldTask {
    const task = taskSchema.parse(word);
    const before = this.#tasks.get(task.taskId);
    if (before && hasEnded(before)) {
      this.repeated += 1;
      if (!isDeepStrictEqual(before, task)) this.changed.push({ before, after: task });
      return task;
    }
    this.#tasks.set(task.taskId, task);
    return task;
  }

  /** A client is told that there is no task of this id. */
  hearUnknown(taskId: string): void {
    this.lost.push(taskId);
  }
}

export function hasEnded({ status }: ToldTask): boolean {
  return ENDS.includes(status);
}

import type { ClientEvent } from '../../client/task-client.ts';
import { nameOf, type Wish } from '../../client/wish.ts';
import { endedAs } from './exit-code.ts';

/** What a client tells, as JSON lines for a program: a change each, and nothing twice. */
export class EventLines {
  readonly #last = new Map<string, string>();

  /** @returns the line; undefined where there is nothing new in it */
  lineOf(event: ClientEvent): string | undefined {
    const told = toldOf(event);
    if (!told) return undefined;
    const line = JSON.stringify(told);
    const about = `${told.event} ${told.id}`;
    if (this.#last.get(about) === line) return undefined;
    this.#last.set(about, line);
    return line;
  }
}

type Told = { readonly event: string; readonly id: string } & Readonly<Record<string, unknown>>;

function toldOf(event: ClientEvent): Told | undefined {
  switch (event.type) {
    case 'wish':
      return { event: event.wish.stage, ...wishData(event.wish) };
    case 'task': {
      const { taskId, status, message, usualMs } = event.task;
      const usual = usualMs === null ? {} : { usual_ms: usualMs };
      return { event: 'task', id: event.wish.id, task_id: taskId, status, message, ...usual };
    }
    case 'delayed':
      return { event: 'delayed', id: event.wish.id, why: event.why };
    case 'question':
    case 'withdrawn': {
      const { wishId, key, form } = event.question;
      return { event: event.type, id: wishId, key, question: form.message };
    }
    case 'notice':
      return undefined;
  }
}

/** A wish's record for programs. */
export function wishData(wish: Wish): { readonly id: string } & Readonly<Record<string, unknown>> {
  const { id, target, task, outcome, text, madeAt, endedAt, result } = wish;
  return {
    id,
    wish: nameOf(target),
    made_at: new Date(madeAt).toISOString(),
    ...(task && { task_id: task.taskId }),
    ...(outcome && { ended: endedAs(outcome), text }),
    ...(outcome?.type === 'verdict' && { verdict: outcome.verdict, reason: outcome.reason }),
    ...(endedAt !== null && { ended_at: new Date(endedAt).toISOString() }),
    ...(result !== undefined && { result }),
  };
}

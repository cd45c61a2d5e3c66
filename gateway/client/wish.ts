import * as z from 'zod';
import { EARLIEST_MS } from '../domain/time.ts';
import { VERDICTS } from '../domain/verdict.ts';
import type { TaskState } from './task-state.ts';

const outcomeSchema = z.discriminatedUnion('type', [
  /** A command of a device ended, as a reading of it says. */
  z.object({ type: z.literal('verdict'), verdict: z.enum(VERDICTS), reason: z.string().nullable() }),
  /** Another tool answered; `isError`: it says itself that it did not do what was wished. */
  z.object({ type: z.literal('result'), isError: z.boolean() }),
  /** Somebody cancelled it, here or there. */
  z.object({ type: z.literal('cancelled') }),
  /** The server could not do it, or refused the call. */
  z.object({ type: z.literal('failed') }),
  /** No server took it in time: nothing was done. */
  z.object({ type: z.literal('not_delivered') }),
  /** It was sent, its answer was lost, and nobody can be asked what became of it. */
  z.object({ type: z.literal('unknown') }),
  /** The server took it, and does not know of it any more. */
  z.object({ type: z.literal('forgotten') }),
]);

/** How a wish ended, as far as can be known from this side. */
export type WishOutcome = z.output<typeof outcomeSchema>;

const targetSchema = z.discriminatedUnion('type', [
  /** A device of a gateway; which tool commands it is found out when the gateway can be asked. */
  z.object({ type: z.literal('device'), device: z.string(), set: z.record(z.string(), z.json()) }),
  z.object({ type: z.literal('tool'), name: z.string(), args: z.record(z.string(), z.json()) }),
]);

/** What is wished for. */
export type Target = z.output<typeof targetSchema>;

const wishSchema = z.object({
  /** Also its idempotency key: a UUID. */
  id: z.string(),
  /** Which server, in the words of whoever can find it. */
  server: z.string(),
  target: targetSchema,
  /** On the wall clock, in ms. */
  madeAt: z.number(),
  /** For how long after that it may still be delivered, in ms. */
  withinMs: z.number(),
  /**
   * `wished`: not sent yet. `calling`: sent perhaps, and no answer is on record. `following`: the server has made a task
   * of it. `ended`: its outcome is known.
   */
  stage: z.enum(['wished', 'calling', 'following', 'ended']),
  /** The server honours keys: where the answer to a call is lost, the call may be made again. */
  keyed: z.boolean(),
  /** As whom the server took the call: to another it says nothing of it, and a key counts for nobody else. */
  sentAs: z.string().optional(),
  /** The server's task; `modern`: one of the Tasks extension, otherwise one of 2025-11-25. */
  task: z.object({ taskId: z.string(), modern: z.boolean() }).nullable(),
  /** Keys of the questions that were answered from here. */
  answered: z.array(z.string()),
  outcome: outcomeSchema.nullable(),
  /** How it ended, in one sentence; empty before. */
  text: z.string(),
  /** The tool's result as it came, where there is one. */
  result: z.json().optional(),
  endedAt: z.number().nullable(),
});

/** What a person or a program wants of a server: the client's durable record. */
export type Wish = Readonly<z.output<typeof wishSchema>>;

/** A stored wish. @throws ZodError for what is none that this version understands */
export function checkWish(value: unknown): Wish {
  return wishSchema.parse(value);
}

/** What came of a wish, ready to be recorded. */
export interface Ending {
  readonly outcome: WishOutcome;
  readonly text: string;
  readonly result?: z.output<ReturnType<typeof z.json>>;
}

/** A result as this project's gateway writes it. Other servers put what they like in the same places: it says nothing here. */
const resultSchema = z
  .looseObject({
    content: z.array(z.looseObject({ text: z.string().optional() }).catch({})).catch([]),
    structuredContent: z
      .looseObject({
        verdict: z.enum(VERDICTS).optional().catch(undefined),
        reason: z.string().nullable().catch(null),
        error: z.string().optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
    // What is no truth value at all is no word for success.
    isError: z.boolean().nullish().catch(true),
  })
  .catch({ content: [] });

/** What the result of a tool says: a verdict where it has one. It makes something of whatever a server answers. */
export function endingOf(result: unknown): Ending {
  const { content, structuredContent, isError } = resultSchema.parse(result);
  const text = content.flatMap((part) => part.text ?? []).join('\n');
  const json = z.json().safeParse(result);
  const kept = json.success ? { result: json.data } : {};
  const { verdict, reason = null } = structuredContent ?? {};
  if (verdict) return { outcome: { type: 'verdict', verdict, reason }, text, ...kept };
  return { outcome: { type: 'result', isError: isError ?? false }, text, ...kept };
}

/** Words of a gateway that has not taken a call and did nothing, but may take it later. */
const LATER = new Set(['shutting_down', 'store_unavailable']);

/** Words of one that turned a call away before it looked whether it knows its key. */
const UNLOOKED = new Set(['not_allowed', 'unknown_device']);

/**
 * Whether a tool's result says that the call was not taken, but may be made again later.
 * @param isRepeated an earlier attempt may have been taken: a refusal of this one says nothing of that
 */
export function isForLater(result: unknown, isRepeated: boolean): boolean {
  const error = resultSchema.parse(result).structuredContent?.error ?? '';
  return LATER.has(error) || (isRepeated && UNLOOKED.has(error));
}

/**
 * For how long a wish may still be delivered, in ms; 0 or less where its time is over. A wall clock that was set back does
 * not prolong it, and one that had not been set yet when the wish was made cannot have let its time run out.
 */
export function deliverableMs({ madeAt, withinMs }: Wish): number {
  return madeAt < EARLIEST_MS ? withinMs : Math.min(withinMs, madeAt + withinMs - Date.now());
}

/** How a task that has ended ended; undefined while it has not. */
export function endingOfTask(task: TaskState): Ending | undefined {
  switch (task.status) {
    case 'working':
    case 'input_required':
      return undefined;
    case 'completed':
      return task.result === undefined ? { ...endingOf(undefined), text: task.message } : endingOf(task.result);
    case 'cancelled':
      return { outcome: { type: 'cancelled' }, text: task.message || 'cancelled' };
    case 'failed':
      return {
        outcome: { type: 'failed' },
        text: task.error ?? (task.message || 'the server says no more than: failed'),
      };
  }
}

/** What is done in order: the wishes for one device of one server; null where a wish stands for itself. */
export function laneOf({ server, target }: Pick<Wish, 'server' | 'target'>): string | null {
  return target.type === 'device' ? `${server}\n${target.device}` : null;
}

/** A wish in a few words: what is wished of what. */
export function nameOf(target: Target): string {
  const [name, values] = target.type === 'device' ? [target.device, target.set] : [target.name, target.args];
  const parts = Object.entries(values).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [name, ...parts].join(' ');
}

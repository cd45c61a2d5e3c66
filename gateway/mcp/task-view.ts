import { type CallToolResult, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Actuation, Outcome } from '../domain/actuation.ts';
import { result } from '../domain/result.ts';
import { sentence } from '../domain/sentence.ts';
import { clockMark, iso } from '../domain/time.ts';
import { adviceOn } from './advice.ts';
import { APPROVAL_KEY, approvalForm, whereToAnswer } from './approval.ts';
import type { Caller } from './caller.ts';
import type { Task, TaskStatus } from './task.ts';

/** How often a client is asked to poll: as often as a person looks. Whoever wants to know sooner waits in `get_task`. */
export const POLL_INTERVAL_MS = 1_000;

/** Whether a command ended as wished, or as well as its device lets anybody know. */
export function succeeded(outcome: Outcome): boolean {
  if (outcome.type !== 'verdict') return false;
  return outcome.verdict === 'verified' || (outcome.verdict === 'unconfirmed' && outcome.reason === 'no_readback');
}

/** What a tool call answers once the command has ended. */
export function callResult(actuation: Actuation & { readonly outcome: Outcome }): CallToolResult {
  return {
    content: [{ type: 'text', text: verdictText(actuation) }],
    structuredContent: result(actuation),
    ...(succeeded(actuation.outcome) ? {} : { isError: true }),
  };
}

/** How it ended, and what a model can do about it where that is not what was wished. */
export function verdictText(actuation: Actuation): string {
  return [sentence(actuation), adviceOn(actuation)].filter((part) => part !== undefined).join(' ');
}

/**
 * A command as a task of the extension (2026-07-28): every verdict completes it, and those that are not what was wished
 * carry `isError`. One that waits for a person asks for input where the client can put the question to one, and for
 * clients of 2025-11-25, which may ask for the result of a task whether they can or not.
 */
export function taskOf(actuation: Actuation, { elicits, older }: Pick<Caller, 'elicits' | 'older'>): Task {
  const { outcome } = actuation;
  const facts = {
    taskId: actuation.taskId,
    statusMessage: elicits ? sentence(actuation) : told(actuation),
    createdAt: iso(actuation.createdAt),
    lastUpdatedAt: iso(actuation.updatedAt),
    ttlMs: actuation.ttlMs,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
  switch (outcome?.type) {
    case undefined: {
      const form = elicits || older ? approvalForm(actuation) : undefined;
      if (!form) return { ...facts, status: 'working' };
      return { ...facts, status: 'input_required', inputRequests: { [APPROVAL_KEY]: form } };
    }
    case 'verdict':
      return { ...facts, status: 'completed', result: callResult({ ...actuation, outcome }) };
    case 'cancelled':
      return { ...facts, status: 'cancelled' };
    case 'failed':
      return {
        ...facts,
        status: 'failed',
        error: { code: ProtocolErrorCode.InternalError, message: outcome.message },
      };
  }
}

/** How it stands, for those whose client cannot ask them: with the place to answer, if it waits for an answer. */
function told(actuation: Actuation): string {
  const text = sentence(actuation);
  return actuation.phase === 'awaiting_approval' ? `${text} ${whereToAnswer(actuation)}.` : text;
}

/**
 * A task as the handle tools speak of it: the seven names of MCP's Task. Durations are in milliseconds. `clock` is there
 * where the wall clock was not set yet when the task was made, so that `created_at` is no date.
 */
export type HandleTask = {
  readonly task_id: string;
  readonly status: TaskStatus;
  readonly status_message: string;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly ttl: number;
  readonly poll_interval: number;
  readonly clock?: 'unset';
};

/**
 * A command as the handle tools and the tasks of protocol 2025-11-25 tell it: there a verdict that is not what was
 * wished is `failed`, and the message says what was seen.
 */
export function handleTask(actuation: Actuation): HandleTask {
  return {
    task_id: actuation.taskId,
    status: handleStatus(actuation),
    status_message: told(actuation),
    created_at: iso(actuation.createdAt),
    last_updated_at: iso(actuation.updatedAt),
    ttl: actuation.ttlMs,
    poll_interval: POLL_INTERVAL_MS,
    ...clockMark(actuation.createdAt),
  };
}

function handleStatus({ phase, outcome }: Actuation): TaskStatus {
  if (!outcome) return phase === 'awaiting_approval' ? 'input_required' : 'working';
  if (outcome.type === 'verdict') return succeeded(outcome) ? 'completed' : 'failed';
  return outcome.type;
}

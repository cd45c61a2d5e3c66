import { setTimeout as delay } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Commands } from '../actuation/commands.ts';
import type { Actuation } from '../domain/actuation.ts';
import { progressText } from './progress-text.ts';

/** How often a waiting client hears that it is not forgotten, in ms. */
const BEAT_MS = 1_000;

/** How long a call waits for a person, in ms: many clients give up on a request after a minute. */
const PERSON_MS = 45_000;

/** A wait for the end of a command, within one request. */
export interface InlineWait {
  readonly commands: Commands;
  readonly actuation: Actuation;
  readonly forMs: number;
  readonly ctx: ServerContext;
  /** A person is being asked: settles when no answer is to be expected here any more. */
  readonly question?: Promise<void> | undefined;
  /** Aborts when the gateway stops: the client is then told how far the command has come. */
  readonly stopping: AbortSignal;
}

/**
 * Waits for the end of a command, with progress notifications if the client asked for them. Only the waiting is bound to
 * the request: a client that goes away does not take its command with it.
 * @returns the record when it is settled, or as it is when the time is over
 */
export async function waitInline(wait: InlineWait): Promise<Actuation> {
  const { commands, actuation, ctx, stopping } = wait;
  const over = new AbortController();
  const end = () => over.abort();
  // Not AbortSignal.any: `stopping` lives as long as the gateway and would collect a follower for every request.
  ctx.mcpReq.signal.addEventListener('abort', end);
  stopping.addEventListener('abort', end);
  if (ctx.mcpReq.signal.aborted || stopping.aborted) end();
  const stopTelling = tellProgress(wait);
  try {
    const { taskId, principal } = actuation;
    if (wait.question !== undefined) await atMost(wait.question, PERSON_MS, over.signal);
    return (await commands.settled(taskId, principal, wait.forMs, over.signal)) ?? actuation;
  } finally {
    stopTelling();
    ctx.mcpReq.signal.removeEventListener('abort', end);
    stopping.removeEventListener('abort', end);
  }
}

/** Waits for a promise that never rejects, but no longer than this. */
async function atMost(promise: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const late = delay(ms, undefined, { ref: false, signal: AbortSignal.any([signal, done.signal]) });
  await Promise.race([promise, late.catch(() => undefined)]);
  done.abort();
}

/** Tells the client of every change of the command, and once a second that it still runs. @returns its end */
function tellProgress({ commands, actuation, ctx }: InlineWait): () => void {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let latest = actuation;
  const fields = actuation.fields.map(({ field }) => field);
  let progress = 0;
  const tell = () => {
    progress += 1;
    ctx.mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken, progress, message: progressText(latest, commands.usualMs(latest.deviceId, fields)) },
      })
      // The client is gone: the wait ends by its own signal.
      .catch(() => {});
  };
  const unsubscribe = commands.subscribe((changed) => {
    if (changed.taskId !== actuation.taskId || changed.outcome) return;
    latest = changed;
    tell();
  });
  const beat = setInterval(tell, BEAT_MS);
  return () => {
    clearInterval(beat);
    unsubscribe();
  };
}

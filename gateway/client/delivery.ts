import { messageOf } from '../domain/errors.ts';
import { BackOff } from './back-off.ts';
import type { Connection } from './connection.ts';
import { isUnsent, refusalOf } from './failure.ts';
import type { Server } from './server.ts';
import { type ToolCall, toolCallFor } from './target-tool.ts';
import { type Ending, endingOf, isForLater, type Wish } from './wish.ts';

/** Where the record of a wish is changed. */
export interface WishRecord {
  readonly wish: Wish;
  /** @returns true once the change is on disk; false, and nothing is changed, where the wish has ended meanwhile */
  change(change: Partial<Wish>): Promise<boolean>;
}

/** What a delivery needs. */
export interface DeliveryOptions {
  readonly record: WishRecord;
  readonly server: Server;
  /** Whether an earlier wish for the same device, somebody else's, still has to go first. */
  readonly mustWait: (wish: Wish) => Promise<boolean>;
  /** Hears why it is not delivered yet. */
  readonly onDelay: (why: string) => void;
  /** Ends the attempts; the wish stays as it is on record. */
  readonly signal: AbortSignal;
}

/** A call that may be made again is given up after this long, in ms; the answer, a task, comes at once. */
const KEYED_MS = 30_000;

/** A call that may not is waited for as long as a slow tool or a person may take, in ms. */
const UNKEYED_MS = 15 * 60_000;

/** Where nobody honours keys the person has to look. */
const UNKNOWN =
  'the answer was lost, and this server cannot be asked what became of the call: look at the state before you repeat it';

/** How one attempt went: it ended, it may be tried again, or there is nothing more to do because the record says how it is. */
type Attempt = { readonly ending: Ending } | { readonly retry: string } | 'recorded';

/**
 * Brings a wish to its server, exactly once. It is tried until the server takes it, for as long as the wish allows. What
 * may have been sent is sent again only to a server that knows it by its key.
 * @returns how it ended; undefined where its record says how it is (a task, or ended from here), or `signal` aborted
 */
export async function deliver(options: DeliveryOptions): Promise<Ending | undefined> {
  const { record, signal } = options;
  const backOff = new BackOff();
  const giveUpAt = performance.now() + leftMs(record.wish);
  if (record.wish.stage === 'calling' && !record.wish.keyed) return { outcome: { type: 'unknown' }, text: UNKNOWN };
  while (!signal.aborted) {
    const left = giveUpAt - performance.now();
    if (left <= 0) return tooLate(record.wish);
    const attempt = await attemptOnce(options);
    if (attempt === 'recorded') return undefined;
    if ('ending' in attempt) return attempt.ending;
    options.onDelay(attempt.retry);
    await backOff.wait(signal, giveUpAt - performance.now());
  }
  return undefined;
}

/** For how long a wish may still be delivered, in ms; a wall clock that was set back does not prolong it. */
function leftMs({ madeAt, withinMs }: Wish): number {
  return Math.min(withinMs, madeAt + withinMs - Date.now());
}

function tooLate({ stage, withinMs }: Wish): Ending {
  const within = `${Math.round(withinMs / 1_000)} s`;
  if (stage === 'wished') {
    return {
      outcome: { type: 'not_delivered' },
      text: `not delivered: no server took it within ${within}; nothing was sent`,
    };
  }
  return {
    outcome: { type: 'unknown' },
    text: `sent, but no answer came within ${within}: look at the state before you repeat it`,
  };
}

async function attemptOnce({ record, server, mustWait }: DeliveryOptions): Promise<Attempt> {
  if (await mustWait(record.wish)) return { retry: 'an earlier wish for this device goes first' };
  let connection: Connection | undefined;
  try {
    connection = await server.connect();
    const call = await toolCallFor(record.wish.target, connection.tools);
    if (typeof call === 'string') return { ending: { outcome: { type: 'failed' }, text: call } };
    return await callOnce(connection, call, record);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) return { ending: { outcome: { type: 'failed' }, text: refusal.message } };
    if (connection) server.failed(connection);
    return { retry: messageOf(error) };
  }
}

async function callOnce(connection: Connection, call: ToolCall, record: WishRecord): Promise<Attempt> {
  const { honoursKeys, modern } = connection;
  const { id, stage } = record.wish;
  // It was sent to a server that honours keys, and this one in its place does not.
  if (stage === 'calling' && !honoursKeys) return { ending: { outcome: { type: 'unknown' }, text: UNKNOWN } };
  if (!(await record.change({ stage: 'calling', keyed: honoursKeys }))) return 'recorded';
  try {
    const timeoutMs = honoursKeys ? KEYED_MS : UNKEYED_MS;
    const keep = async (taskId: string) => {
      await record.change({ stage: 'following', task: { taskId, modern } });
    };
    const result = await connection.call({ ...call, key: id, timeoutMs, keep });
    if (record.wish.stage === 'following') return 'recorded';
    if (!isForLater(result)) return { ending: endingOf(result) };
    await record.change({ stage });
    return { retry: endingOf(result).text };
  } catch (error) {
    if (refusalOf(error) || record.wish.stage === 'following') throw error;
    if (isUnsent(error)) await record.change({ stage });
    else if (!honoursKeys) return { ending: { outcome: { type: 'unknown' }, text: UNKNOWN } };
    throw error;
  }
}

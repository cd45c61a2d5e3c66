import { messageOf } from '../domain/errors.ts';
import { BackOff } from './back-off.ts';
import type { Connection } from './connection.ts';
import { isUnsent, OtherCaller, refusalOf } from './failure.ts';
import type { Server } from './server.ts';
import { type ToolCall, toolCallFor } from './target-tool.ts';
import { deliverableMs, type Ending, endingOf, isForLater, type Wish } from './wish.ts';

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
 * @throws OtherCaller where it was sent perhaps, as somebody else than the server takes this client for
 */
export async function deliver(options: DeliveryOptions): Promise<Ending | undefined> {
  const { record, signal } = options;
  const backOff = new BackOff();
  const giveUpAt = performance.now() + deliverableMs(record.wish);
  if (record.wish.stage === 'calling' && !record.wish.keyed) return { outcome: { type: 'unknown' }, text: UNKNOWN };
  let delayed: string | undefined;
  while (!signal.aborted) {
    const left = giveUpAt - performance.now();
    if (left <= 0) return tooLate(record.wish, delayed);
    const attempt = await attemptOnce(options, delayed !== undefined);
    if (attempt === 'recorded') return undefined;
    if ('ending' in attempt) return attempt.ending;
    delayed = attempt.retry;
    options.onDelay(delayed);
    await backOff.wait(signal, giveUpAt - performance.now());
  }
  return undefined;
}

function tooLate({ stage, withinMs }: Wish, delayed: string | undefined): Ending {
  const within = `${Math.round(withinMs / 1_000)} s`;
  if (stage === 'wished') {
    const why = delayed === undefined ? '' : ` (${delayed})`;
    return {
      outcome: { type: 'not_delivered' },
      text: `not delivered: no server took it within ${within}${why}; nothing was sent`,
    };
  }
  return {
    outcome: { type: 'unknown' },
    text: `sent, but no answer came within ${within}: look at the state before you repeat it`,
  };
}

/** @param isLate an attempt before this one came to nothing */
async function attemptOnce({ record, server, mustWait }: DeliveryOptions, isLate: boolean): Promise<Attempt> {
  if (await mustWait(record.wish)) return { retry: 'an earlier wish for this device goes first' };
  // A no to this attempt says nothing of an earlier one, whose answer was lost.
  const isRepeated = record.wish.stage === 'calling';
  let connection: Connection | undefined;
  try {
    connection = await server.connect();
    const call = await toolCallFor(record.wish.target, connection.tools);
    // A gateway that has just come back may not have heard yet of the devices that it discovers.
    if (typeof call === 'string') return isRepeated || isLate ? { retry: call } : failed(call);
    return await callOnce(connection, call, record);
  } catch (error) {
    if (error instanceof OtherCaller) throw error;
    const refusal = refusalOf(error);
    if (refusal && !isRepeated) return failed(refusal.message);
    if (connection) server.failed(connection);
    return { retry: refusal?.message ?? messageOf(error) };
  }
}

const failed = (text: string): Attempt => ({ ending: { outcome: { type: 'failed' }, text } });

async function callOnce(connection: Connection, call: ToolCall, record: WishRecord): Promise<Attempt> {
  const { honoursKeys, modern, caller } = connection;
  const { id, stage, sentAs = caller } = record.wish;
  // It was sent to a server that honours keys, and this one in its place does not.
  if (stage === 'calling' && !honoursKeys) return { ending: { outcome: { type: 'unknown' }, text: UNKNOWN } };
  if (stage === 'calling' && sentAs !== caller) throw new OtherCaller(sentAs, caller);
  if (!(await record.change({ stage: 'calling', keyed: honoursKeys, sentAs: caller }))) return 'recorded';
  try {
    const timeoutMs = honoursKeys ? KEYED_MS : UNKEYED_MS;
    const keep = async (taskId: string) => {
      await record.change({ stage: 'following', task: { taskId, modern } });
    };
    const result = await connection.call({ ...call, key: id, timeoutMs, keep });
    if (record.wish.stage === 'following') return 'recorded';
    if (!isForLater(result, stage === 'calling')) return { ending: endingOf(result) };
    await record.change({ stage });
    return { retry: endingOf(result).text };
  } catch (error) {
    if (refusalOf(error) || record.wish.stage === 'following') throw error;
    if (isUnsent(error)) await record.change({ stage });
    else if (!honoursKeys) return { ending: { outcome: { type: 'unknown' }, text: UNKNOWN } };
    throw error;
  }
}

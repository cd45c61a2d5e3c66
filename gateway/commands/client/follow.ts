import type { TaskClient } from '../../client/task-client.ts';
import { laneOf, nameOf, type Target, type Wish } from '../../client/wish.ts';
import { messageOf, StartError } from '../../domain/errors.ts';
import { exitCodeOf } from './exit-code.ts';
import { parseValues } from './parse-values.ts';
import { isSame, isStanding } from './same-wish.ts';
import { type ClientOptions, type ClientSession, notice, openClientSession } from './session.ts';
import { show } from './show.ts';
import { matching } from './wish-choice.ts';

/** What `readback call` is told beside the wish. */
export interface CallOptions extends ClientOptions {
  /** Another server's tool, instead of a device. */
  readonly tool?: string;
  /** For how long the wish may be delivered, in ms. */
  readonly within: number;
  readonly json?: boolean;
}

/** What a shell is told where a person leaves a command with Ctrl-C. */
const LEFT = 130;

/**
 * `readback call`: takes a wish, delivers it, and stays until its end.
 * @returns the exit code
 * @throws StartError for words that make no wish; StoreError where the wish cannot be kept
 */
export async function call(words: readonly string[], options: CallOptions): Promise<number> {
  const target = targetOf(words, options.tool);
  const session = await openClientSession(options);
  return follow(session, options, async ({ client, folder, server }) => {
    // What was wished before for the same device goes first; where the last of it is the same wish, that is gone on with.
    const lane = laneOf({ server, target });
    const isBefore = (wish: Wish) =>
      lane === null ? wish.server === server && isSame(wish.target, target) : laneOf(wish) === lane;
    const before = await folder.adopt(folder.found.filter(isBefore));
    const last = before.at(-1);
    const same = last && isSame(last.target, target) ? last : undefined;
    client.resume(before);
    if (same && (await isStanding(client, same))) {
      notice('this is the same wish: going on with it');
      return [same];
    }
    return [await client.call({ server, target, withinMs: options.within })];
  });
}

/**
 * `readback watch`: goes on with what earlier commands left, until its end.
 * @param ids beginnings of ids of wishes or tasks; none: all that have not ended
 * @returns the exit code
 */
export async function watch(ids: readonly string[], options: Omit<CallOptions, 'within'>): Promise<number> {
  const session = await openClientSession(options);
  return follow(session, options, async ({ client, folder }) => {
    const known = ids.length === 0 ? [] : [...client.wishes(), ...(await folder.others())];
    const wanted = ids.length === 0 ? folder.found : ids.map((id) => matching(known, id));
    const adopted = await folder.adopt(wanted);
    if (adopted.length === 0) notice('nothing is under way that an earlier command left.');
    client.resume(adopted);
    return adopted;
  });
}

/** Shows what happens until the wishes have ended, or somebody leaves. */
async function follow(
  session: ClientSession,
  { json = false }: { readonly json?: boolean },
  begin: (session: ClientSession) => Promise<readonly Wish[]>,
): Promise<number> {
  const { client } = session;
  const shown = await show(client, { json });
  try {
    const ended = begin(session).then((wishes) => Promise.allSettled(wishes.map((wish) => endOf(client, wish))));
    const all = await Promise.race([ended, shown.left]);
    shown.end();
    if (all) return exitCode(all);
    notice('left; what is under way goes on, and `readback watch` follows it.');
    return LEFT;
  } finally {
    shown.end();
    await session.close();
  }
}

/** @throws Error that names the wish, where it cannot be followed to its end from here */
async function endOf(client: TaskClient, { id, target }: Wish): Promise<Wish | undefined> {
  return client.ended(id).catch((error: unknown) => {
    throw new Error(`${nameOf(target)}: ${messageOf(error)}`, { cause: error });
  });
}

/** What could not be followed is told; it is no success, however well the others went. */
function exitCode(all: readonly PromiseSettledResult<Wish | undefined>[]): number {
  const failures = all.flatMap((each) => (each.status === 'rejected' ? [messageOf(each.reason)] : []));
  for (const failure of failures) notice(failure);
  const code = exitCodeOf(all.flatMap((each) => (each.status === 'fulfilled' ? (each.value?.outcome ?? []) : [])));
  return failures.length > 0 ? Math.max(1, code) : code;
}

function targetOf(words: readonly string[], tool: string | undefined): Target {
  if (tool !== undefined) return { type: 'tool', name: tool, args: parseValues(words) };
  const [device, ...values] = words;
  if (device === undefined || device.includes('=') || values.length === 0) {
    throw new StartError('name a device and what to set: readback call living_room_ac target_temperature=26', 2);
  }
  return { type: 'device', device, set: parseValues(values) };
}

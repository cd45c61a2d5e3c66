import type { Target, Wish } from '../../client/wish.ts';
import { laneOf } from '../../client/wish.ts';
import { StartError } from '../../domain/errors.ts';
import { exitCodeOf } from './exit-code.ts';
import { parseValues } from './parse-values.ts';
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
    // What was wished before for the same device goes first, and the same wish again is the one that was left.
    const lane = laneOf({ server, target });
    const same = folder.found.find((wish) => wish.server === server && isSame(wish.target, target));
    client.resume(folder.found.filter((wish) => wish === same || (lane !== null && laneOf(wish) === lane)));
    if (same) notice('this is the same wish: going on with it');
    return [same ?? (await client.call({ server, target, withinMs: options.within }))];
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
    const wanted = ids.length === 0 ? folder.found : ids.map((id) => matching(client.wishes(), id));
    if (wanted.length === 0) notice('nothing is under way that an earlier command left.');
    client.resume(wanted);
    return wanted;
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
    const wishes = await begin(session);
    const ended = Promise.all(wishes.map(({ id }) => client.ended(id)));
    const all = await Promise.race([ended, shown.left]);
    shown.end();
    if (all) return exitCodeOf(all.flatMap((wish) => wish?.outcome ?? []));
    notice('left; what is under way goes on, and `readback watch` follows it.');
    return LEFT;
  } finally {
    shown.end();
    await session.close();
  }
}

function targetOf(words: readonly string[], tool: string | undefined): Target {
  if (tool !== undefined) return { type: 'tool', name: tool, args: parseValues(words) };
  const [device, ...values] = words;
  if (device === undefined || device.includes('=') || values.length === 0) {
    throw new StartError('name a device and what to set: readback call living_room_ac target_temperature=26', 2);
  }
  return { type: 'device', device, set: parseValues(values) };
}

function isSame(one: Target, other: Target): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkWish, deliverableMs, laneOf, type Wish } from '../../client/wish.ts';
import { type Collection, StoreError } from '../../domain/store.ts';
import type { DocumentStore } from '../../store/document-store.ts';
import { openDocumentStore } from '../../store/journaled-documents.ts';

/** What has ended longer ago than this, in ms, is forgotten. */
const KEPT_MS = 30 * 86_400_000;

/** Copies of a folder that is being written that may fail before it counts as damaged. */
const PEEKS = 3;

/** Commands that can run at a time. */
const MOST = 1_000;

/**
 * What one command keeps of its wishes. A store belongs to one process, and any number of commands may run: each takes the
 * first store of the folder that is free and holds nothing open. What was left open in others that are free stays there,
 * for whichever command takes it over to carry it out.
 */
export interface ClientFolder {
  readonly wishes: Collection<Wish>;
  /** Wishes that have not ended, of commands that were left or killed; oldest first. */
  readonly found: readonly Wish[];
  /** Makes found wishes this command's own. @returns those that no other command took over meanwhile, oldest first */
  adopt(found: readonly Wish[]): Promise<readonly Wish[]>;
  /** Every wish of other stores, whether their commands run or not, as it was a moment ago. */
  others(): Promise<readonly Wish[]>;
  /** Whether one of them is an earlier wish for the same device that may still be delivered. */
  mustWait(wish: Wish): Promise<boolean>;
  close(): Promise<void>;
}

/** Where the commands of this user keep their wishes, unless they are told otherwise. */
export function defaultClientFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'readback');
}

/**
 * Opens the folder for one command.
 * @throws StoreError `damaged` or `unwritable`, in one line that names the folder
 */
export async function openClientFolder(folder: string, onNotice: (message: string) => void): Promise<ClientFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new StoreError('unwritable', `Nothing can be stored in ${folder}: choose another --client-data.`, {
      cause: error,
    });
  });
  const open = (name: string) => openIfFree(join(folder, name), onNotice);
  const own = await takeFirstFree(open);
  const otherNames = async () => (await namesIn(folder)).filter((name) => name !== own.name);
  const others = async () =>
    furthest((await Promise.all((await otherNames()).map((name) => peek(join(folder, name))))).flat());
  const found: Wish[] = [];
  try {
    for (const name of await otherNames()) {
      const left = await open(name);
      if (!left) continue;
      try {
        await takeOver([left], own.wishes, ({ id }) => own.wishes.get(id) !== undefined);
        await forgetOld(left.wishes);
        found.push(...left.wishes.values());
      } finally {
        await left.store.close();
      }
    }
    await forgetOld(own.wishes);
  } catch (error) {
    await own.store.close();
    throw error;
  }
  return {
    wishes: own.wishes,
    found: furthest(found).filter((wish) => !hasEnded(wish)),
    others,
    async adopt(wanted) {
      const ids = new Set(wanted.map(({ id }) => id));
      const stores =
        ids.size > 0 ? (await Promise.all((await otherNames()).map(open))).filter((left) => left !== undefined) : [];
      try {
        await takeOver(stores, own.wishes, ({ id }) => ids.has(id));
      } finally {
        await Promise.all(stores.map(({ store }) => store.close()));
      }
      return inOrder([...ids].flatMap((id) => own.wishes.get(id) ?? []));
    },
    async mustWait(wish) {
      const lane = laneOf(wish);
      if (lane === null) return false;
      return (await others()).some((other) => laneOf(other) === lane && isUndelivered(other) && isEarlier(other, wish));
    },
    close: () => own.store.close(),
  };
}

interface OpenStore {
  readonly store: DocumentStore;
  readonly wishes: Collection<Wish>;
}

const hasEnded = ({ outcome }: Wish) => outcome !== null;

/** @returns undefined where another process has it */
async function openIfFree(folder: string, onNotice: (message: string) => void): Promise<OpenStore | undefined> {
  try {
    // That a lock was left behind is no news: a command may be left at any time.
    const store = await openDocumentStore({
      folder,
      onNotice: ({ type, message }) => {
        if (type !== 'stale_lock') onNotice(message);
      },
    });
    return { store, wishes: store.collection('wishes', checkWish) };
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'locked') return undefined;
    throw error;
  }
}

async function takeFirstFree(
  open: (name: string) => Promise<OpenStore | undefined>,
): Promise<OpenStore & { readonly name: string }> {
  for (let number = 1; number <= MOST; number += 1) {
    const name = `client-${number}`;
    const taken = await open(name);
    if (taken && [...taken.wishes.values()].every(hasEnded)) return { ...taken, name };
    await taken?.store.close();
  }
  throw new StoreError(
    'locked',
    `${MOST} commands run already, or have left something open: end some of them, or go on with it by \`readback watch\`.`,
  );
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^client-\d+$/.test(name));
}

/** Has wishes change their store. A crash in between leaves one in both: the one that was moved first is ahead of the other. */
async function takeOver(
  stores: readonly OpenStore[],
  to: Collection<Wish>,
  isTaken: (wish: Wish) => boolean,
): Promise<void> {
  const taken = furthest(stores.flatMap(({ wishes }) => [...wishes.values()].filter(isTaken)));
  await Promise.all(taken.filter(({ id }) => !to.get(id)).map((wish) => to.put(wish.id, wish)));
  for (const { wishes } of stores) {
    const ids = taken.map(({ id }) => id).filter((id) => wishes.get(id));
    if (ids.length > 0) await wishes.remove(ids);
  }
}

/** Each wish once, as it stands where it has come furthest; oldest first. */
function furthest(wishes: readonly Wish[]): readonly Wish[] {
  const known = new Map<string, Wish>();
  for (const wish of wishes) {
    const other = known.get(wish.id);
    if (!other || STAGES.indexOf(other.stage) < STAGES.indexOf(wish.stage)) known.set(wish.id, wish);
  }
  return inOrder([...known.values()]);
}

const STAGES: readonly Wish['stage'][] = ['wished', 'calling', 'following', 'ended'];

const inOrder = (wishes: readonly Wish[]) => wishes.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));

async function forgetOld(wishes: Collection<Wish>): Promise<void> {
  const before = Date.now() - KEPT_MS;
  const old = [...wishes.values()].filter(({ endedAt }) => endedAt !== null && endedAt < before);
  if (old.length > 0) await wishes.remove(old.map(({ id }) => id));
}

/** What is kept in another store, whoever has it: it is read from a copy. */
async function peek(folder: string): Promise<readonly Wish[]> {
  const copy = await mkdtemp(join(tmpdir(), 'readback-'));
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await cp(folder, copy, { recursive: true, force: true, filter: (path) => !path.endsWith('/lock') });
        const opened = await openIfFree(copy, () => {});
        if (!opened) return [];
        const wishes = [...opened.wishes.values()];
        await opened.store.close();
        return wishes;
      } catch (error) {
        // Files come and go under a copy: another one may be whole.
        if (attempt === PEEKS) throw error;
        await rm(copy, { recursive: true, force: true });
      }
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function isUndelivered(wish: Wish): boolean {
  return (wish.stage === 'wished' || wish.stage === 'calling') && deliverableMs(wish) > 0;
}

function isEarlier(one: Wish, other: Wish): boolean {
  return one.madeAt < other.madeAt || (one.madeAt === other.madeAt && one.id < other.id);
}

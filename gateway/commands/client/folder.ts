import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkWish, laneOf, type Wish } from '../../client/wish.ts';
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
 * first store of the folder that is free. What it finds in others that are free was left behind by commands that ended or
 * were killed, and becomes its own.
 */
export interface ClientFolder {
  readonly wishes: Collection<Wish>;
  /** Wishes that have not ended, of commands that were left or killed. */
  readonly found: readonly Wish[];
  /** Every wish of the commands that run beside this one, as it was a moment ago. */
  others(): Promise<readonly Wish[]>;
  /** Whether one of them still has an earlier wish for the same device to deliver. */
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
  try {
    for (const name of await namesIn(folder)) {
      if (name === own.name) continue;
      const left = await open(name);
      if (left) await moveAll(left, own.wishes);
    }
    await forgetOld(own.wishes);
  } catch (error) {
    await own.store.close();
    throw error;
  }
  const others = async () => {
    const names = (await namesIn(folder)).filter((name) => name !== own.name);
    return (await Promise.all(names.map((name) => peek(join(folder, name))))).flat();
  };
  return {
    wishes: own.wishes,
    found: [...own.wishes.values()].filter(({ outcome }) => outcome === null),
    others,
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
    if (taken) return { ...taken, name };
  }
  throw new StoreError('locked', `${MOST} commands run already: end some of them.`);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^client-\d+$/.test(name));
}

/** A crash in between leaves a wish in both: the one that was moved first is ahead of the other. */
async function moveAll({ store, wishes }: OpenStore, to: Collection<Wish>): Promise<void> {
  const all = [...wishes.values()];
  await Promise.all(all.filter(({ id }) => !to.get(id)).map((wish) => to.put(wish.id, wish)));
  await wishes.remove(all.map(({ id }) => id));
  await store.close();
}

async function forgetOld(wishes: Collection<Wish>): Promise<void> {
  const before = Date.now() - KEPT_MS;
  const old = [...wishes.values()].filter(({ endedAt }) => endedAt !== null && endedAt < before);
  if (old.length > 0) await wishes.remove(old.map(({ id }) => id));
}

/** What another process keeps, read from a copy; nothing where it is free, for then nobody is at work on it. */
async function peek(folder: string): Promise<readonly Wish[]> {
  const copy = await mkdtemp(join(tmpdir(), 'readback-'));
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (!(await readdir(folder)).includes('lock')) return [];
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

function isUndelivered({ stage }: Wish): boolean {
  return stage === 'wished' || stage === 'calling';
}

function isEarlier(one: Wish, other: Wish): boolean {
  return one.madeAt < other.madeAt || (one.madeAt === other.madeAt && one.id < other.id);
}

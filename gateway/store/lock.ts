import { randomUUID } from 'node:crypto';
import { readFile, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { StoreError } from '../domain/store.ts';
import { codeOf, type Files } from './file-layer.ts';
import { UNFINISHED } from './generations.ts';
import { isPresent, openPresence } from './presence-socket.ts';
import type { StoreNotice } from './store-errors.ts';

/** The mark of the one process that may use a folder. */
export interface Lock {
  /** Why the disk would not take a file for the lock; null where it did. */
  readonly fullDisk: Error | null;
  /** Lets the next process in. Does not fail: a lock that stays behind is found stale. */
  release(): Promise<void>;
}

const holderSchema = z.object({
  pid: z.number().int().positive(),
  /** When it began, as the system tells it; null where it does not. */
  began: z.string().nullable(),
  /** The namespace in which `pid` counts: containers have one each. null where the system tells of none. */
  space: z.string().nullable().default(null),
  /** A socket beside the lock at which a process in a container can be met; null where there is none. */
  socket: z
    .string()
    .regex(/^[\w.-]+$/)
    .nullable()
    .default(null),
});
type Holder = z.infer<typeof holderSchema>;

const LOCK = 'lock';

/** How often a lock that changes hands meanwhile is looked at again. */
const ATTEMPTS = 5;

/**
 * Takes the lock of a folder. One left behind by a process that is gone is taken over, also where its pid belongs to
 * another process by now. One of another container is asked at its socket; where it has none, nobody sees from here whether
 * that process still runs, and its lock is left alone.
 * @throws StoreError `locked`, naming the pid of the process that has it
 */
export async function takeLock(files: Files, folder: string, onNotice: (notice: StoreNotice) => void): Promise<Lock> {
  const path = join(folder, LOCK);
  const space = await ownSpace();
  const presence = await openPresence(folder, space);
  const own = { pid: process.pid, began: await beginOf(process.pid), space, socket: presence?.name ?? null };
  const result = await acquire(files, path, own);
  if (!result.taken) {
    await presence?.close();
    if (result.holder && isOutOfSight(result.holder, own)) {
      const who = `process ${result.holder.pid} of another container`;
      const next = `stop that container, use another folder, or remove ${path} where it runs no more`;
      throw new StoreError('locked', `The data folder ${folder} is in use by ${who}: ${next}.`);
    }
    const who = result.holder ? `process ${result.holder.pid}` : 'another process, which is just starting';
    throw new StoreError('locked', `The data folder ${folder} is in use by ${who}: stop it, or use another folder.`);
  }
  if (result.from !== null) onNotice({ type: 'stale_lock', message: `Took over ${path} from ${result.from}.` });
  const release = async () => {
    await files.unlink(path).catch(() => {});
    await presence?.close();
  };
  return { fullDisk: result.fullDisk, release };
}

type Result =
  /** `from`: whose stale lock it was. */
  | { readonly taken: true; readonly from: string | null; readonly fullDisk: Error | null }
  /** `holder`: null where it changes hands just now. */
  | { readonly taken: false; readonly holder: Holder | null };

async function acquire(files: Files, path: string, own: Holder): Promise<Result> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const placed = await put(files, path, own, files.link);
    if (placed) return { taken: true, from: null, ...placed };
    const text = await readIfThere(files, path);
    if (text === null) continue;
    const holder = parseHolder(text);
    if (holder && (await isRunning(holder, own, dirname(path)))) return { taken: false, holder };
    const takenOver = await takeOver(files, path, text, own);
    if (!takenOver) continue;
    if (holder?.socket) await rm(join(dirname(path), holder.socket), { force: true });
    const from = holder ? `process ${holder.pid}, which is gone` : 'a process that a power cut ended';
    return { taken: true, from, ...takenOver };
  }
  return { taken: false, holder: null };
}

/**
 * Replaces a stale lock. Of all who find it, only the one that holds a second lock, named after the content of the
 * first, may do so: else a slow one would replace the new lock of a quick one. The second lock may be stale in its turn.
 */
async function takeOver(files: Files, path: string, staleText: string, own: Holder): Promise<Placed | null> {
  const guard = `${path}.${crc32(staleText).toString(16)}`;
  if (!(await acquire(files, guard, own)).taken) return null;
  try {
    return (await readIfThere(files, path)) === staleText ? await put(files, path, own, files.rename) : null;
  } finally {
    await files.unlink(guard);
  }
}

/** A lock that is in place. */
type Placed = Pick<Lock, 'fullDisk'>;

/** Puts a lock in place with all that is in it, so that nobody reads half of one. @returns null where another was quicker */
async function put(files: Files, path: string, own: Holder, place: Files['link' | 'rename']): Promise<Placed | null> {
  const draft = `${path}-${randomUUID()}${UNFINISHED}`;
  try {
    const fullDisk = await write(files, draft, JSON.stringify(own));
    await place.call(files, draft, path);
    return { fullDisk };
  } catch (error) {
    // The draft itself is missing where the holder of the lock, at its own start, cleared it away.
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return null;
    throw error;
  } finally {
    await files.unlink(draft).catch(() => {});
  }
}

/**
 * A card that is full must not keep a gateway from starting that has a state to read: there the lock is a link to nowhere,
 * whose text needs no space. @returns why it could not be a file; null where it is one
 */
async function write(files: Files, path: string, text: string): Promise<Error | null> {
  try {
    const file = await files.create(path);
    try {
      await file.write(`${text}\n`);
    } finally {
      await file.close();
    }
    return null;
  } catch (error) {
    if (!(error instanceof Error) || !['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error;
    await files.unlink(path).catch(() => {});
    await files.symlink(text, path);
    return error;
  }
}

async function readIfThere(files: Files, path: string): Promise<string | null> {
  try {
    return await files.readlink(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (codeOf(error) !== 'EINVAL') throw error;
  }
  try {
    return (await files.read(path)).toString();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** null for a lock that cannot be read: after a power cut its content may be gone. */
function parseHolder(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Whether a process runs, or ran, where its pid says nothing here. After another boot it certainly runs no more. */
function isOutOfSight(holder: Holder, own: Holder): boolean {
  return holder.space !== null && own.space !== null && holder.space !== own.space && bootOf(holder) === bootOf(own);
}

function bootOf({ began }: Holder): string | undefined {
  return began?.split('/', 1)[0];
}

async function ownSpace(): Promise<string | null> {
  try {
    return await readlink('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

async function isRunning(holder: Holder, own: Holder, folder: string): Promise<boolean> {
  const { pid, began, socket } = holder;
  if (isOutOfSight(holder, own)) return socket === null || (await isPresent(folder, socket));
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  const now = await beginOf(pid);
  return began === null || now === null || began === now;
}

/** When a process began: the boot and the clock ticks since then. null where there is no /proc, or no such process. */
async function beginOf(pid: number): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, and may itself hold spaces and brackets.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return ticks === undefined ? null : `${boot.trim()}/${ticks}`;
  } catch {
    return null;
  }
}

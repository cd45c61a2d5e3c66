import { messageOf } from '../domain/errors.ts';
import { StoreError } from '../domain/store.ts';
import { codeOf } from './file-layer.ts';

/** What the person at the machine can do about a file operation that fails, by the system's code. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  EROFS: 'it is on a read-only file system; mount it for writing',
  EACCES: 'permission denied; give this user the right to write there, or choose another folder',
  EPERM: 'the operation is not permitted there; choose another folder',
  ENOTDIR: 'it is not a folder; choose another one',
  EEXIST: 'it is not a folder; choose another one',
  ENOENT: 'it is gone; restore it from a backup, or start again',
  EIO: 'the disk reports an error; check it, or replace the card',
  EMFILE: 'too many files are open; raise the limit of open files',
};

/** The refusal to keep anything while the folder cannot be written. */
export function unwritable(folder: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const advice = ADVICE[code] ?? messageOf(error);
  return new StoreError('unwritable', `Nothing can be stored in ${folder}: ${advice}${code && ` (${code})`}.`, {
    cause: error,
  });
}

/** The refusal to start on a file that is not what was written. `next` says what to do. */
export function damaged(path: string, what: string, next: string): StoreError {
  return new StoreError('damaged', `${path} is damaged: ${what}. ${next}`);
}

/** The answer to whoever still asks after the end. */
export function closed(): StoreError {
  return new StoreError('closed', 'The store is closed: the gateway is shutting down.');
}

/** Something the store coped with and the owner should know, for the log. */
export interface StoreNotice {
  readonly type: /** The last line of a journal was cut short by a crash: what it held had never been acknowledged. */
    | 'torn_line'
    /** The lock of a process that is gone was taken over. */
    | 'stale_lock'
    /** From now on nothing can be stored, until `writable`. */
    | 'unwritable'
    | 'writable'
    /** The journal could not be folded into a snapshot; it is tried again later. */
    | 'compaction_failed'
    /** Lines of a day's history are not what was written. */
    | 'history_damaged';
  readonly message: string;
}

import { join } from 'node:path';
import type { Change } from './document-store.ts';
import type { Files } from './file-layer.ts';
import type { Trouble } from './framed-lines.ts';
import { type Generations, generationsIn, journalName, missingFrom, snapshotName, UNFINISHED } from './generations.ts';
import { type JournalContent, readJournal } from './journal.ts';
import type { Snapshot } from './snapshot.ts';
import { damaged, type StoreNotice, unwritable } from './store-errors.ts';

/** What the journals of a folder add to its snapshot. */
export interface Recovered {
  /** In the order in which they were made. */
  readonly changes: readonly Change[];
  /** Sequence number of the last change. */
  readonly seq: number;
  /** The generation of the next journal to be begun. */
  readonly nextGeneration: number;
  /** How many journals follow the snapshot, and their bytes together. */
  readonly journals: number;
  readonly bytes: number;
}

/**
 * Reads the journals that follow a snapshot.
 * @throws StoreError `damaged` unless every change that was acknowledged is there
 */
export async function recover(
  files: Files,
  folder: string,
  snapshot: Snapshot,
  onNotice: (notice: StoreNotice) => void,
): Promise<Recovered> {
  const generations = generationsIn(await files.list(folder));
  const following = generations.journals.filter((generation) => generation >= snapshot.generation);
  const backup = backupOf(generations);
  const missing = isNew(generations) ? null : missingFrom(following, snapshot.generation);
  if (missing !== null) throw damaged(join(folder, journalName(missing)), 'the file is missing', backup);

  const journals = await Promise.all(following.map((generation) => readJournal(files, folder, generation, backup)));
  const changes: Change[] = [];
  let seq = snapshot.seq;
  for (const [index, journal] of journals.entries()) {
    const acknowledged = acknowledgedIn(journal, seq, journals[index + 1], backup);
    for (const change of acknowledged) changes.push(change);
    seq += acknowledged.length;
  }
  const newest = journals.at(-1);
  if (newest?.trouble) {
    onNotice({
      type: 'torn_line',
      message: `${newest.path}: ${whereAndWhat(newest.trouble)}. It is dropped: a crash cut it short before anyone was told.`,
    });
  }
  return {
    changes,
    seq,
    nextGeneration: newest ? newest.generation + 1 : snapshot.generation,
    journals: journals.length,
    bytes: journals.reduce((sum, journal) => sum + journal.bytes, 0),
  };
}

function isNew({ snapshots, journals }: Generations): boolean {
  return snapshots.length === 0 && journals.length === 0;
}

/** The changes of a journal that were acknowledged; in the newest one, all that are whole. */
function acknowledgedIn(
  journal: JournalContent,
  seq: number,
  next: JournalContent | undefined,
  backup: string,
): readonly Change[] {
  const { path, after, changes, trouble } = journal;
  if (after !== seq)
    throw damaged(path, `it goes on after change ${after}, but what precedes it ends with ${seq}`, backup);
  if (next) {
    // Behind that may stand anything: a write that failed, and was given up for the next journal.
    const count = next.after - after;
    if (count >= 0 && count <= changes.length) return changes.slice(0, count);
    const what = trouble ? whereAndWhat(trouble) : `it ends with change ${after + changes.length} of ${next.after}`;
    throw damaged(path, what, backup);
  }
  if (trouble?.kind === 'damaged') {
    const cut = `Or cut the file to ${trouble.offset} bytes, to go on without what was recorded after that.`;
    throw damaged(path, whereAndWhat(trouble), `${backup} ${cut}`);
  }
  return changes;
}

function whereAndWhat({ line, offset, what }: Trouble): string {
  return `line ${line}, at byte ${offset}: ${what}`;
}

function backupOf({ snapshots }: Generations): string {
  const newest = snapshots.at(-1);
  return newest === undefined
    ? 'There is no backup of it in this folder: restore it from one of yours.'
    : `The backup is ${snapshotName(newest)}, the whole state before it: restore the rest from a backup of yours.`;
}

/**
 * Syncs what a start has read of the newest journal: a killed process may have left changes that can be read and are not
 * on disk yet, and a command that is told of must not vanish in the power cut after.
 * @throws StoreError `unwritable`
 */
export async function makeDurable(
  files: Files,
  folder: string,
  { journals, nextGeneration }: Recovered,
): Promise<void> {
  if (journals === 0) return;
  try {
    const file = await files.reopen(join(folder, journalName(nextGeneration - 1)));
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
    await files.syncFolder(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * Removes what no start will ever need: snapshots older than the last but one, and journals older than that. One that is
 * still there after a crash does no harm, so nothing is synced.
 */
export async function sweep(files: Files, folder: string): Promise<void> {
  const { snapshots, journals } = generationsIn(await files.list(folder));
  const backup = snapshots.at(-2) ?? 0;
  const isStale = (generation: number) => generation < backup;
  for (const name of [...snapshots.filter(isStale).map(snapshotName), ...journals.filter(isStale).map(journalName)]) {
    await files.unlink(join(folder, name));
  }
}

/** Removes what a crash left half written. Only at the start: later on, it may be somebody's work. */
export async function removeUnfinished(files: Files, folder: string): Promise<void> {
  const names = await files.list(folder);
  const ours = /^(journal|snapshot|lock)-/;
  for (const name of names.filter((each) => ours.test(each) && each.endsWith(UNFINISHED))) {
    await files.unlink(join(folder, name));
  }
}

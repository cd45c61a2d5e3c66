import { join } from 'node:path';
import type { PastTask } from '../domain/history.ts';
import { step } from '../domain/step.ts';
import { StoreError } from '../domain/store.ts';
import type { Clock } from '../domain/time.ts';
import { type BackupContent, OTHER_FILES, type Part, partSchema } from './backup.ts';
import { readBackup } from './backup-file.ts';
import { openDataFolder } from './data-folder.ts';
import { DayFiles, HISTORY_FOLDER } from './day-files.ts';
import type { Change } from './document-store.ts';
import { checkRecord, TASKS } from './document-task-store.ts';
import { diskFiles } from './file-layer.ts';
import { FIRST_GENERATION, generationsIn, journalName, snapshotName } from './generations.ts';
import { Journal } from './journal.ts';
import { SnapshotAdapter } from './snapshot.ts';
import { type StoreNotice, unwritable } from './store-errors.ts';

/** What a restore put in place. */
export interface Restored extends BackupContent {
  /** How many commands were open in the backup: they have ended, and nothing of them is sent. */
  readonly ended: number;
  /** Where that lies which was there before; null where nothing was. */
  readonly replaced: string | null;
}

/** Commands that are put into history in one go. */
const BATCH = 200;

/**
 * Puts the state of a backup into a data folder that no gateway runs on. The backup is read to its end before anything is
 * touched, and what it replaces is moved into a folder beside it. Wherever that is cut short, the folder holds the old
 * state or the new one, or is refused at the start; then it can be restored again. Commands that were open in the backup
 * are ended: whoever starts the gateway wants its state back, and no wish of another day carried out.
 * @throws StoreError `damaged` for the backup, `locked`, `unwritable`
 */
export async function restore(
  path: string,
  folder: string,
  clock: Pick<Clock, 'boot' | 'now'>,
  onNotice: (notice: StoreNotice) => void,
): Promise<Restored> {
  const documents: Change[] = [];
  let ended = 0;
  for await (const part of partsOf(path)) {
    if (!('document' in part)) continue;
    const document = withoutOpen(part.document, clock, path);
    if (document !== part.document) ended += 1;
    documents.push(document);
  }
  const lock = await openDataFolder(diskFiles, folder, onNotice);
  try {
    const names = await diskFiles.list(folder);
    const { snapshots, journals } = generationsIn(names);
    const generation = Math.max(FIRST_GENERATION, ...[...snapshots, ...journals].map((each) => each + 1));
    await putState(folder, generation, documents);
    const moved = [...snapshots.map(snapshotName), ...journals.map(journalName)];
    if (names.includes(HISTORY_FOLDER)) moved.push(HISTORY_FOLDER);
    const others = OTHER_FILES.filter((name) => names.includes(name));
    const replaced = await setAside(folder, generation, moved, others);
    const { past, files } = await putOthers(path, folder, onNotice);
    for (const name of others) if (!files.has(name)) await diskFiles.unlink(join(folder, name));
    await diskFiles.syncFolder(folder);
    return { documents: documents.length, past, ended, replaced };
  } catch (error) {
    throw unwritable(folder, error);
  } finally {
    await lock.release();
  }
}

async function* partsOf(path: string): AsyncGenerator<Part> {
  for await (const raw of readBackup(path)) {
    const part = partSchema.safeParse(raw).data;
    if (!part) throw notUnderstood(path);
    yield part;
  }
}

/** The document, or what an open command is after a restore. */
function withoutOpen(document: Change, clock: Pick<Clock, 'boot' | 'now'>, path: string): Change {
  if (document.collection !== TASKS || document.value === null) return document;
  try {
    const record = checkRecord(document.value);
    const { actuation } = step(record, { type: 'restored', at: clock.now(), boot: clock.boot });
    return actuation === record ? document : { ...document, value: actuation };
  } catch (error) {
    throw notUnderstood(path, error);
  }
}

function notUnderstood(path: string, cause?: unknown): StoreError {
  const next = 'restore it with the version that wrote it';
  return new StoreError('damaged', `${path} holds something that this version does not understand: ${next}.`, {
    cause,
  });
}

/** From the moment its snapshot has its name, a start takes this state and none that is older. */
async function putState(folder: string, generation: number, documents: readonly Change[]): Promise<void> {
  const journal = await Journal.begin(diskFiles, folder, generation, 0);
  await journal.close();
  try {
    await new SnapshotAdapter(diskFiles, folder).write({ generation, seq: 0, documents });
  } catch (error) {
    await diskFiles.unlink(join(folder, journalName(generation))).catch(() => {});
    throw error;
  }
}

/**
 * Keeps what was there. The files of others stay in place as well until theirs of the backup take their names: at no
 * moment is the folder without tokens, for a gateway that has none takes in everybody on its machine.
 */
async function setAside(
  folder: string,
  generation: number,
  moved: readonly string[],
  others: readonly string[],
): Promise<string | null> {
  if (moved.length + others.length === 0) return null;
  const beside = join(folder, `replaced-${String(generation).padStart(6, '0')}`);
  await diskFiles.makeFolder(beside);
  for (const name of others) await diskFiles.link(join(folder, name), join(beside, name));
  for (const name of moved) await diskFiles.rename(join(folder, name), join(beside, name));
  await diskFiles.syncFolder(beside);
  await diskFiles.syncFolder(folder);
  return beside;
}

/** History and the files of others. @returns how many commands are in the history, and which files were put */
async function putOthers(
  path: string,
  folder: string,
  onNotice: (notice: StoreNotice) => void,
): Promise<{ readonly past: number; readonly files: ReadonlySet<string> }> {
  const history = new DayFiles(diskFiles, folder, onNotice);
  const batch: PastTask[] = [];
  const files = new Set<string>();
  let past = 0;
  for await (const part of partsOf(path)) {
    if ('file' in part) {
      await putFile(folder, part.file.name, part.file.text);
      files.add(part.file.name);
    }
    if (!('past' in part)) continue;
    batch.push(part.past);
    past += 1;
    if (batch.length === BATCH) await history.append(batch.splice(0));
  }
  await history.append(batch);
  return { past, files };
}

async function putFile(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const file = await diskFiles.create(`${path}.new`);
  try {
    await file.write(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await diskFiles.rename(`${path}.new`, path);
  await diskFiles.syncFolder(folder);
}

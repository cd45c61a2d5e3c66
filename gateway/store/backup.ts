import { join } from 'node:path';
import { z } from 'zod';
import { StoreError } from '../domain/store.ts';
import { writeBackup } from './backup-file.ts';
import { DayFiles, pastTaskSchema } from './day-files.ts';
import { type Change, Documents } from './document-store.ts';
import { codeOf, diskFiles, type Files } from './file-layer.ts';
import { generationsIn } from './generations.ts';
import { recover } from './recovery.ts';
import { documentSchema, EMPTY, SnapshotAdapter } from './snapshot.ts';
import type { StoreNotice } from './store-errors.ts';

/** What a backup holds. */
export interface BackupContent {
  readonly documents: number;
  /** Commands in the history. */
  readonly past: number;
}

/** Files of other parts of the gateway that belong to its state, as they are. */
export const OTHER_FILES = ['tokens.json'] as const;

/** One line of a backup. */
export const partSchema = z.union([
  z.strictObject({ document: documentSchema }),
  z.strictObject({ past: pastTaskSchema }),
  z.strictObject({ file: z.object({ name: z.enum(OTHER_FILES), text: z.string() }) }),
]);
export type Part = z.output<typeof partSchema>;

/** A running gateway may remove a file that is just about to be read: then all is read again, at most this often. */
const ATTEMPTS = 5;

/**
 * Writes the state of a data folder into one file, whether a gateway runs there or not: what had been acknowledged when
 * it began is in it.
 * @throws StoreError `damaged` where the folder holds no state, or one that no gateway would start on; `unwritable`
 */
export async function backUp(
  folder: string,
  path: string,
  made: string,
  onNotice: (notice: StoreNotice) => void,
): Promise<BackupContent> {
  const content = { documents: 0, past: 0 };
  const documents = await readDocuments(diskFiles, folder);
  const history = new DayFiles(diskFiles, folder, onNotice);
  async function* parts(): AsyncGenerator<object> {
    for (const document of documents) yield { document };
    content.documents = documents.length;
    for (const day of (await history.days()).toReversed()) {
      for (const past of await history.read(day)) {
        content.past += 1;
        yield { past };
      }
    }
    for (const name of OTHER_FILES) {
      const text = await readIfThere(join(folder, name));
      if (text !== null) yield { file: { name, text } };
    }
  }
  await writeBackup(path, made, parts());
  return content;
}

async function readDocuments(files: Files, folder: string): Promise<readonly Change[]> {
  for (let attempt = 1; ; attempt++) {
    const { snapshots, journals } = generationsIn(await namesIn(files, folder));
    if (snapshots.length + journals.length === 0) {
      throw new StoreError('damaged', `There is nothing in ${folder} to back up: no gateway has run there.`);
    }
    try {
      const snapshot = (await new SnapshotAdapter(files, folder).read()) ?? EMPTY;
      const { changes } = await recover(files, folder, snapshot, () => {});
      const documents = new Documents();
      for (const change of [...snapshot.documents, ...changes]) documents.apply(change);
      return documents.all();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function namesIn(files: Files, folder: string): Promise<readonly string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await diskFiles.read(path)).toString();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

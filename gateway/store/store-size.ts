import { join } from 'node:path';
import { HISTORY_FOLDER } from './day-files.ts';
import { diskFiles, type Files } from './file-layer.ts';
import { generationsIn, journalName, snapshotName } from './generations.ts';

/** What a data folder takes up, in bytes. */
export interface StoreSize {
  readonly journal: number;
  readonly snapshot: number;
  readonly history: number;
}

/** Measures a data folder. What goes away meanwhile, or is not there yet, counts nothing. */
export async function storeSize(folder: string, files: Files = diskFiles): Promise<StoreSize> {
  const { journals, snapshots } = generationsIn(await names(files, folder));
  const history = join(folder, HISTORY_FOLDER);
  return {
    journal: await sizeOf(files, folder, journals.map(journalName)),
    snapshot: await sizeOf(files, folder, snapshots.map(snapshotName)),
    history: await sizeOf(files, history, await names(files, history)),
  };
}

async function names(files: Files, folder: string): Promise<readonly string[]> {
  return files.list(folder).catch(() => []);
}

async function sizeOf(files: Files, folder: string, names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(names.map((name) => files.size(join(folder, name)).catch(() => 0)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

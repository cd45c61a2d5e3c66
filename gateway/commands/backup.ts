import { resolve } from 'node:path';
import { systemClock } from '../actuation/system-clock.ts';
import { backUp } from '../store/backup.ts';
import { restore } from '../store/restore.ts';
import type { StoreNotice } from '../store/store-errors.ts';
import { type DataOptions, dataFolderOf } from './data-options.ts';

/**
 * `readback backup`: writes the state of a data folder into one file, whether a gateway runs there or not.
 * @returns what is in it, in words
 * @throws StoreError where there is no state, it is damaged, or the file cannot be written
 */
export async function backUpData(path: string, options: DataOptions): Promise<string> {
  const folder = await dataFolderOf(options);
  const { documents, past } = await backUp(folder, resolve(path), new Date().toISOString(), tell);
  return `Backed up ${folder} to ${path}: ${documents} records, ${past} commands of the past. It holds keys: keep it to yourself.`;
}

/**
 * `readback restore`: puts a backup into a data folder on which no gateway runs.
 * @returns what was restored, how many open commands ended with it, and where that lies which was there before
 * @throws StoreError where the backup is damaged, a gateway runs there, or the folder cannot be written
 */
export async function restoreData(path: string, options: DataOptions): Promise<string> {
  const folder = await dataFolderOf(options);
  const { documents, past, ended, replaced } = await restore(resolve(path), folder, systemClock(), tell);
  const open = ended === 0 ? '' : ` Of the commands, ${ended} were open in it: they have ended, and none is sent.`;
  const before = replaced === null ? '' : ` What was there before lies in ${replaced}.`;
  return `Restored ${path} to ${folder}: ${documents} records, ${past} commands of the past.${open}${before}`;
}

function tell(notice: StoreNotice): void {
  console.error(`readback: ${notice.message}`);
}

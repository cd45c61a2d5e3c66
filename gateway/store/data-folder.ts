import type { Files } from './file-layer.ts';
import { type Lock, takeLock } from './lock.ts';
import { type StoreNotice, unwritable } from './store-errors.ts';

/**
 * Makes a data folder ready for this process alone: created where it is missing, writable, and locked.
 * @throws StoreError `unwritable` or `locked`, in one line that names the folder
 */
export async function openDataFolder(
  files: Files,
  folder: string,
  onNotice: (notice: StoreNotice) => void,
): Promise<Lock> {
  try {
    await files.makeFolder(folder);
    return await takeLock(files, folder, onNotice);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

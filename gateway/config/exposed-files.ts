import { stat } from 'node:fs/promises';

/** Rights of the group and of everybody else. */
const OTHERS = 0o077;

/** Those of the files that others than their owner can read or write; one that is not there is passed over. */
export async function exposedFiles(paths: readonly string[]): Promise<readonly string[]> {
  // Windows has no such rights.
  if (process.platform === 'win32') return [];
  const modes = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, index) => ((modes[index]?.mode ?? 0) & OTHERS) !== 0);
}

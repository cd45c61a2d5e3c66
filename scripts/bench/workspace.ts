import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** How much is measured. */
export interface Effort {
  /** Few samples, for a check that the bench itself works. */
  readonly quick: boolean;
}

/**
 * A folder for the stores that are measured, gone at the exit. It lies in `data` and not among the temporary files: those
 * may be kept in memory, where a sync costs nothing.
 */
export async function openWorkspace(): Promise<string> {
  const parent = resolve('data');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

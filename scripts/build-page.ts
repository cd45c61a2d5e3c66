/**
 * Builds the page that the gateway serves, where a source of it is newer than what is built: a start on a Pi does not wait
 * for a build that changes nothing.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What the page is made of; it takes types from the whole of the domain. */
const SOURCES = ['gateway/dashboard', 'gateway/domain', 'vite.config.ts', 'package-lock.json'];
const BUILT = 'dist/page/index.html';

if ((await newest(SOURCES)) > (await changedAt(BUILT))) {
  // Loaded late: where nothing is to be built it is not even read.
  const { build } = await import('vite');
  await build({ logLevel: 'warn' });
}

/** When the newest of these files, and of those in these folders, was changed, in ms. */
async function newest(paths: readonly string[]): Promise<number> {
  let found = 0;
  for (const path of paths) {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? await readdir(path, { recursive: true }) : [''];
    for (const file of files) found = Math.max(found, await changedAt(join(path, file)));
  }
  return found;
}

async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

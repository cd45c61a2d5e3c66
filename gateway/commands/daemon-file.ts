import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const schema = z.object({
  url: z.url(),
  pid: z.int().positive(),
  /** Opens every door to whoever can read this file. */
  token: z.string().optional(),
  /** Under HTTPS, the certificate that will be shown there: it need not be one that anybody else trusts. */
  cert: z.string().optional(),
});

/** Where the daemon of a data folder can be reached, for the other commands of the command line. */
export type DaemonAddress = z.output<typeof schema>;

const fileOf = (folder: string) => join(folder, 'daemon.json');

/** Says where this process listens; only its own user may read it. */
export async function writeDaemonFile(folder: string, address: DaemonAddress): Promise<void> {
  const temporary = `${fileOf(folder)}.new`;
  await writeFile(temporary, `${JSON.stringify(address)}\n`, { mode: 0o600 });
  await rename(temporary, fileOf(folder));
}

/** What was written there last; undefined where nothing runs, or nothing was left behind that can be read. */
export async function readDaemonFile(folder: string): Promise<DaemonAddress | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(fileOf(folder), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function removeDaemonFile(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true });
}

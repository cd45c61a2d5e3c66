import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

/** The revisions that the gateway serves. Each scenario that applies to both is run over both. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** A scenario that the suite has for servers. */
export interface Scenario {
  readonly name: string;
  /** The revisions it applies to; `extension` for one that stands outside them. */
  readonly appliesTo: readonly string[];
}

const checkSchema = z.looseObject({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  description: z.string().optional(),
  errorMessage: z.string().optional(),
});

/** One thing that a scenario looked at. */
export type Check = z.output<typeof checkSchema>;

const run = promisify(execFile);

/** The package has no entry for programs, so it is found by its manifest's neighbour. */
const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const PRELOAD = fileURLToPath(new URL('glob-sync-preload.js', import.meta.url));

/** Longest run of all scenarios of a revision, in ms. */
const RUN_MS = 110_000;

async function suite(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['--import', PRELOAD, SUITE, ...args], {
    timeout: RUN_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Every scenario that the installed suite has for servers. */
export async function offeredScenarios(): Promise<Scenario[]> {
  const lines = (await suite('list', '--server')).split('\n');
  return lines.flatMap((line) => {
    const [, name, versions] = /^\s*- (\S+) \[([^\]]*)\]/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, appliesTo: (versions ?? '').split(',') }];
  });
}

/**
 * Runs what a revision requires, with the extensions that are tied to it, over its own wire.
 * @param folder an empty one, for the suite's own results
 * @returns the checks of every scenario that was run, by its name
 */
export async function runRevision(url: string, revision: Revision, folder: string): Promise<Map<string, Check[]>> {
  // It exits with 1 when a check fails; what failed is in its results.
  await suite('server', '--url', url, '--requirements', revision, '-o', folder).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
  });
  const results = new Map<string, Check[]>();
  for (const entry of await readdir(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry) ?? [];
    if (scenario === undefined) continue;
    const text = await readFile(join(folder, entry, 'checks.json'), 'utf8').catch(() => '[]');
    results.set(scenario, z.array(checkSchema).parse(JSON.parse(text)));
  }
  return results;
}

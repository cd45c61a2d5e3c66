import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import * as z from 'zod';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { messageOf } from '../../gateway/domain/errors.ts';
import { flaws, type LockedPackage, licenceList, lockedPackages } from './rules.ts';

const ROOT = dirname(shippedPath(''));
const LIST = join(ROOT, 'docs/licences.md');

/** Endings of files that run on one kind of machine only. */
const COMPILED = /\.(node|so|dylib|dll|exe)$/;

const auditSchema = z.object({
  vulnerabilities: z.record(z.string(), z.object({ name: z.string(), severity: z.string() })),
});

const { write = false } = new Command('dependencies')
  .description('Checks what is installed: licences, scripts, compiled code, and what is known of holes.')
  .option('--write', 'write the list of licences anew')
  .parse()
  .opts<{ write?: true }>();

try {
  const lock: unknown = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages = lockedPackages(lock);
  const compiled = await compiledFiles(packages);
  const found = [...flaws(packages, compiled), ...(await auditFlaws())];
  const list = licenceList(packages);
  if (write) await writeFile(LIST, list);
  else if ((await readFile(LIST, 'utf8').catch(() => '')) !== list) {
    found.push('docs/licences.md is not up to date: npm run dependencies -- --write');
  }
  for (const flaw of found) console.log(`✗ ${flaw}`);
  const installed = packages.filter(({ dev }) => !dev).length;
  console.log(`${installed} packages that users run, ${packages.length - installed} for building and testing`);
  console.log(`${packages.length - found.length} passed, ${found.length} failed`);
  process.exitCode = found.length === 0 ? 0 : 1;
} catch (error) {
  console.error(`dependencies: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function compiledFiles(packages: readonly LockedPackage[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { path, dev } of packages) {
    if (dev) continue;
    const files = await readdir(join(ROOT, path), { recursive: true }).catch(() => []);
    // A package inside another has an entry of its own.
    const own = files.filter((file) => COMPILED.test(file) && !file.includes('node_modules'));
    if (own.length > 0) found.set(path, own);
  }
  return found;
}

/** Holes of the weight `high` or above that the registry knows of in what users run. It may be out of reach: that is said. */
async function auditFlaws(): Promise<string[]> {
  const text = await new Promise<string>((resolve) => {
    execFile('npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, timeout: 60_000 }, (_, stdout) => resolve(stdout));
  });
  const { data } = auditSchema.safeParse(parsed(text));
  if (!data) {
    console.log('the registry cannot be asked for known holes here (npm audit)');
    return [];
  }
  return Object.values(data.vulnerabilities)
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ name, severity }) => `${name} has a known hole (${severity}): npm audit tells more`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

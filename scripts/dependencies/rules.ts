import * as z from 'zod';

/** Licences under which a package may be part of what users run: all of them let it be passed on with the gateway. */
const ALLOWED: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'MIT OR Apache-2.0',
]);

const entrySchema = z.looseObject({
  version: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  peer: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
});

const lockSchema = z.looseObject({ packages: z.record(z.string(), entrySchema) });

/** One package of the lock file. */
export interface LockedPackage {
  readonly name: string;
  /** Where it lies, from the root of the project. */
  readonly path: string;
  readonly version: string;
  readonly licence: string | null;
  /** Only needed to build and test. */
  readonly dev: boolean;
  readonly hasInstallScript: boolean;
  /** It is made for certain machines. */
  readonly bound: boolean;
}

/** The packages of a lock file, by name. @throws ZodError where it is none */
export function lockedPackages(lock: unknown): LockedPackage[] {
  return Object.entries(lockSchema.parse(lock).packages)
    .filter(([path]) => path.includes('node_modules/'))
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      path,
      version: entry.version ?? '',
      licence: entry.license ?? null,
      dev: entry.dev,
      hasInstallScript: entry.hasInstallScript,
      bound: entry.os !== undefined || entry.cpu !== undefined,
    }))
    .sort((a, b) => (a.name === b.name ? a.version.localeCompare(b.version) : a.name < b.name ? -1 : 1));
}

/**
 * What keeps the packages from going onto a Raspberry Pi as they are: licences that do not allow it, scripts that run at
 * the installation, code that was compiled for one kind of machine.
 * @param compiled the compiled files that were found, by package path
 */
export function flaws(packages: readonly LockedPackage[], compiled: ReadonlyMap<string, readonly string[]>): string[] {
  return packages.flatMap((each) => {
    const named = `${each.name} ${each.version}`;
    const found: string[] = [];
    // A tool of the build may run wherever it says; scripts run at everybody's installation.
    if (each.hasInstallScript) found.push(`${named} runs a script when it is installed`);
    if (each.dev) return found;
    if (each.licence === null) found.push(`${named} names no licence`);
    else if (!ALLOWED.has(each.licence.replace(/^\((.*)\)$/, '$1'))) found.push(`${named} is under ${each.licence}`);
    if (each.bound) found.push(`${named} is made for certain machines only`);
    for (const file of compiled.get(each.path) ?? []) found.push(`${named} holds compiled code: ${file}`);
    return found;
  });
}

/** The list of the packages that users run, for `docs/licences.md`. */
export function licenceList(packages: readonly LockedPackage[]): string {
  const rows = packages.filter(({ dev }) => !dev).map(({ name, version, licence }) => [name, version, licence ?? '']);
  const all = [['package', 'version', 'licence'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [
    '# Licences',
    '',
    'What is installed with the gateway, beside its own code. Written by `npm run dependencies -- --write`.',
    '',
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...body.map(line),
    '',
  ].join('\n');
}

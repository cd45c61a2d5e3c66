import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { flaws, licenceList, lockedPackages } from '../../scripts/dependencies/rules.ts';

const lock = (entry: object, path = 'node_modules/thing') => ({
  packages: { '': { name: 'home' }, [path]: { version: '1.0.0', license: 'MIT', ...entry } },
});
const none = new Map<string, string[]>();
const flawsOf = (entry: object) => flaws(lockedPackages(lock(entry)), none);

describe('what may be installed', () => {
  it('is a package under a licence that lets it be passed on', () => {
    expect(flawsOf({})).toEqual([]);
    expect(flawsOf({ license: 'GPL-3.0' })).toEqual(['thing 1.0.0 is under GPL-3.0']);
    expect(flawsOf({ license: undefined })).toEqual(['thing 1.0.0 names no licence']);
  });

  it('runs no script at the installation, not even for building', () => {
    const said = ['thing 1.0.0 runs a script when it is installed'];
    expect(flawsOf({ hasInstallScript: true })).toEqual(said);
    expect(flawsOf({ hasInstallScript: true, dev: true })).toEqual(said);
  });

  it('needs no certain machine, unless it is for building alone', () => {
    expect(flawsOf({ cpu: ['x64'] })).toEqual(['thing 1.0.0 is made for certain machines only']);
    expect(flawsOf({ cpu: ['x64'], license: 'MPL-2.0', dev: true })).toEqual([]);
    const compiled = new Map([['node_modules/thing', ['build/thing.node']]]);
    expect(flaws(lockedPackages(lock({})), compiled)).toEqual(['thing 1.0.0 holds compiled code: build/thing.node']);
  });

  it('is told apart by where it lies', () => {
    const [inner] = lockedPackages(lock({}, 'node_modules/@scope/outer/node_modules/@scope/inner'));
    expect(inner?.name).toBe('@scope/inner');
  });
});

it('the licences of what is installed are listed', () => {
  const packages = lockedPackages(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  expect(licenceList(packages)).toBe(readFileSync('docs/licences.md', 'utf8'));
});

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../gateway/config/load.ts';
import { ConfigError } from '../../gateway/config/problems.ts';
import { opennessFlaw } from '../../gateway/config/schema-server.ts';
import { isLoopback } from '../../gateway/domain/loopback.ts';
import { allScopes } from '../../gateway/domain/principal.ts';

const HOME = `devices:
  fan: { use: esphome/fan, with: { base: "http://192.0.2.41", entity: Fan } }
`;
const TOKEN = 'a-token-that-is-long-enough';
const SHA256 = createHash('sha256').update(TOKEN).digest('hex');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readback-tokens-'));
  await writeFile(join(folder, 'secrets.yaml'), `anna: ${TOKEN}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

async function load(yaml: string) {
  const file = join(folder, 'home.yaml');
  await writeFile(file, HOME + yaml);
  return loadConfig(file, { BEN: `${TOKEN}-of-ben` });
}

/** What is wrong with what follows the two lines of devices, each as `line path: message`. */
async function mistakes(yaml: string): Promise<string[]> {
  const error = await load(yaml).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('expected the file to be refused', { cause: error });
  expect(error.exitCode).toBe(2);
  return error.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

describe('tokens', () => {
  it('come from secrets, from the environment or as hashes, and only hashes go on', async () => {
    const home = await load(`tokens:
  - { name: anna, token: !secret anna }
  - { name: ben, token: !env_var BEN, scopes: [read] }
  - { name: judge, sha256: ${'AB'.repeat(32)}, scopes: [approve, read] }
`);
    expect(home.tokens).toEqual([
      { name: 'anna', sha256: SHA256, scopes: ['read', 'control'] },
      { name: 'ben', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), scopes: ['read'] },
      { name: 'judge', sha256: 'ab'.repeat(32), scopes: ['approve', 'read'] },
    ]);
  });

  it.each([
    ['no token at all', '{ name: anna }', /^4 tokens\.0: needs token or sha256$/],
    ['both', `{ name: anna, token: ${TOKEN}, sha256: ${SHA256} }`, /^4 tokens\.0: .*one of them is enough/],
    ['a short token', '{ name: anna, token: hunter2 }', /^4 tokens\.0\.token: .*16 characters.*openssl/],
    ['a token that no header can carry', `{ name: anna, token: "${TOKEN} ä" }`, /^4 tokens\.0\.token: a token is made/],
    ['a hash of another kind', '{ name: anna, sha256: 5f4dcc3b }', /^4 tokens\.0\.sha256: .*64 hex digits.*sha256sum/],
    ['no scope', `{ name: anna, token: ${TOKEN}, scopes: [] }`, /^4 tokens\.0\.scopes: needs at least one of: read/],
    ['an unknown scope', `{ name: anna, token: ${TOKEN}, scopes: [write] }`, /^4 tokens\.0\.scopes\.0: .*"read"/],
    ['the name of those who need none', `{ name: local, token: ${TOKEN} }`, /^4 tokens\.0\.name: "local" is the name/],
    ['an unknown key', `{ name: anna, token: ${TOKEN}, scope: [read] }`, /unknown key "scope"; did you mean "scopes"/],
  ])('are refused with their line: %s', async (_, token, message) => {
    expect(await mistakes(`tokens:\n  - ${token}\n`)).toEqual([expect.stringMatching(message)]);
  });

  it('are told apart by name and by token', async () => {
    const found = await mistakes(`tokens:
  - { name: anna, token: ${TOKEN} }
  - { name: anna, token: ${TOKEN}-2 }
  - { name: ben, sha256: ${SHA256} }
`);
    expect(found).toEqual([
      expect.stringMatching(/^5 tokens\.1\.name: there is a token named "anna"/),
      expect.stringMatching(/^6 tokens\.2: is the token of "anna" too/),
    ]);
  });

  it('never show in a message', async () => {
    const found = await mistakes('tokens:\n  - { name: anna, token: !secret anna, scopes: [no] }\n');
    expect(found.join()).not.toContain(TOKEN);
  });
});

describe('an address that lets other machines in', () => {
  it.each(['0.0.0.0', '192.0.2.7', '::', 'pi.local'])('is refused without tokens: %s', (host) => {
    expect(opennessFlaw(host, 0)).toMatch(/readback token add NAME.*or use 127\.0\.0\.1/);
    expect(opennessFlaw(host, 1)).toBeUndefined();
    expect(opennessFlaw('127.0.0.1', 0)).toBeUndefined();
  });

  it('is told from those of this machine', () => {
    expect(['127.0.0.1', '127.8.0.1', 'localhost', '::1', '[::1]'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', 'localhost.lan', ''].some(isLoopback)).toBe(false);
  });
});

describe('names by which the gateway is called', () => {
  it('are plain hosts, in small letters', async () => {
    const { server } = await load('server: { allowed_hosts: [Pi.local, "[fd00::1]"], allowed_origins: [dash.lan] }\n');
    expect(server).toMatchObject({ allowed_hosts: ['pi.local', '[fd00::1]'], allowed_origins: ['dash.lan'] });
    const found = await mistakes('server:\n  allowed_hosts: ["http://pi.local", pi:8730]\n');
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^4 server\.allowed_hosts\.0: .*without scheme and port/);
  });
});

describe('scopes', () => {
  it('include others: control to read, admin everything, approve nothing', () => {
    expect(allScopes(['control'])).toEqual(['read', 'control']);
    expect(allScopes(['admin'])).toEqual(['read', 'control', 'approve', 'admin']);
    expect(allScopes(['approve'])).toEqual(['approve']);
    expect(allScopes(['nonsense'])).toEqual([]);
  });
});

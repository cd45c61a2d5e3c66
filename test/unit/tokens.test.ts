import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError, UserError } from '../../gateway/domain/errors.ts';
import type { TokenRecord } from '../../gateway/domain/principal.ts';
import { StoreError } from '../../gateway/domain/store.ts';
import { Tokens, type TokensOptions } from '../../gateway/http/tokens.ts';
import { diskFiles } from '../../gateway/store/file-layer.ts';
import { TokenFile } from '../../gateway/store/token-file.ts';
import { openTokens } from '../../gateway/tokens.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

const ANNA = tokenRecord('anna', 'control');
const BEN = tokenRecord('ben', 'read');

function open(options: Partial<TokensOptions> = {}) {
  const kept: (readonly TokenRecord[])[] = [];
  const shutOut: string[] = [];
  const tokens = new Tokens({ configured: [], keep: async (added) => void kept.push(added), ...options });
  tokens.onShutOut((principal) => shutOut.push(principal));
  return { tokens, kept, shutOut };
}

describe('the tokens of a gateway', () => {
  it('are known by their bytes alone, wherever they come from', () => {
    const { tokens } = open({ configured: [ANNA], added: [BEN] });
    expect(tokens.find(tokenOf('anna'))).toEqual(ANNA);
    expect(tokens.find(tokenOf('ben'))).toEqual(BEN);
    for (const wrong of ['', 'x', tokenOf('anna').toUpperCase(), `${tokenOf('anna')} `, ANNA.sha256]) {
      expect(tokens.find(wrong)).toBeUndefined();
    }
    expect(tokens.list()).toEqual([
      { name: 'anna', scopes: ['control'], from: 'configuration' },
      { name: 'ben', scopes: ['read'], from: 'added' },
    ]);
  });

  it('are needed as soon as there is one beside that of the command line', async () => {
    const { tokens, shutOut } = open();
    expect(tokens.needed).toBe(false);
    expect(tokens.find(tokens.localToken)).toMatchObject({ name: 'local', scopes: ['admin'] });
    await tokens.add('anna', ['read']);
    expect(tokens.needed).toBe(true);
    // Whoever came in without a token may not stay without one.
    expect(shutOut).toEqual(['local']);
    await tokens.revoke('anna');
    expect(tokens.needed).toBe(false);
  });

  it('are shown once: what is kept is a hash', async () => {
    const { tokens, kept } = open({ configured: [ANNA] });
    const token = await tokens.add('cleo', ['read', 'approve']);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(tokens.find(token)?.scopes).toEqual(['read', 'approve']);
    expect(JSON.stringify([kept, tokens.list()])).not.toContain(token);
    expect(kept.at(-1)).toEqual([
      { name: 'cleo', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), scopes: expect.anything() },
    ]);
  });

  it('have names of their own', async () => {
    const { tokens } = open({ configured: [ANNA], added: [BEN] });
    for (const [name, code] of [
      ['anna', 'token_conflict'],
      ['ben', 'token_conflict'],
      ['local', 'bad_value'],
      ['', 'bad_value'],
      ['two words', 'bad_value'],
    ]) {
      await expect(tokens.add(String(name), ['read'])).rejects.toMatchObject({ name: 'UserError', code });
    }
    const both = await Promise.allSettled([tokens.add('dora', ['read']), tokens.add('dora', ['admin'])]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('count only once they are kept, and go only once that is kept', async () => {
    let full = true;
    const keep = async () => {
      if (full) throw new StoreError('unwritable', 'the disk is full');
    };
    const { tokens, shutOut } = open({ configured: [ANNA], added: [BEN], keep });
    await expect(tokens.add('cleo', ['read'])).rejects.toThrow(StoreError);
    await expect(tokens.revoke('ben')).rejects.toThrow(StoreError);
    expect(tokens.list().map(({ name }) => name)).toEqual(['anna', 'ben']);
    expect(shutOut).toEqual([]);
    full = false;
    await tokens.revoke('ben');
    expect(tokens.find(tokenOf('ben'))).toBeUndefined();
    expect(shutOut).toEqual(['ben']);
  });

  it('of the configuration are revoked there, and unknown ones nowhere', async () => {
    const { tokens } = open({ configured: [ANNA] });
    await expect(tokens.revoke('anna')).rejects.toThrow(/take it out there/);
    await expect(tokens.revoke('nobody')).rejects.toThrow(/no token named "nobody"/);
    await expect(tokens.revoke('local')).rejects.toThrow(UserError);
  });

  it('never run out where other machines reach the gateway', async () => {
    const { tokens } = open({ added: [BEN], exposed: true });
    await expect(tokens.revoke('ben')).rejects.toThrow(/the last token.*add another first/);
    await expect(open({ configured: [ANNA], exposed: true }).tokens.configure([])).rejects.toThrow(/no token is left/);
    await tokens.add('cleo', ['read']);
    await tokens.revoke('ben');
    expect(tokens.list()).toHaveLength(1);
  });

  it('change with the configuration: whoever lost something is shut out, and nobody else', async () => {
    const { tokens, shutOut } = open({ configured: [ANNA, BEN] });
    const dora = tokenRecord('dora', 'read');
    await tokens.configure([{ ...ANNA, scopes: ['read'] }, BEN, dora]);
    expect(shutOut).toEqual(['anna']);
    expect(tokens.find(tokenOf('anna'))?.scopes).toEqual(['read']);
    expect(tokens.find(tokenOf('dora'))).toEqual(dora);
    const taken = open({ configured: [], added: [ANNA] }).tokens.configure([ANNA]);
    await expect(taken).rejects.toThrow(/is called "anna"/);
  });

  it('change one after the other, from whatever side: none is decided by what is about to go', async () => {
    const revoking = open({ configured: [ANNA], added: [BEN], exposed: true });
    const last = await Promise.allSettled([revoking.tokens.revoke('ben'), revoking.tokens.configure([])]);
    expect(last.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(revoking.tokens.list().map(({ name }) => name)).toEqual(['anna']);
    const adding = open();
    const twins = await Promise.allSettled([adding.tokens.add('anna', ['read']), adding.tokens.configure([ANNA])]);
    expect(twins.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(adding.tokens.list()).toHaveLength(1);
  });

  it('are asked for where other machines come in, whatever became of them', () => {
    expect(open({ exposed: true }).tokens.needed).toBe(true);
  });
});

describe('the tokens in a data folder', () => {
  let dataFolder: string;
  const host = '127.0.0.1';
  const path = () => join(dataFolder, 'tokens.json');

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'readback-tokens-'));
  });
  afterEach(() => rm(dataFolder, { recursive: true }));

  it('are there after a restart, in a file that only its owner can read', async () => {
    const token = await (await openTokens([ANNA], { dataFolder, host })).add('cleo', ['approve']);
    const again = await openTokens([ANNA], { dataFolder, host });
    expect(again.find(token)).toMatchObject({ name: 'cleo', scopes: ['approve'] });
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    expect(await readFile(path(), 'utf8')).not.toContain(token);
    await again.revoke('cleo');
    expect((await openTokens([], { dataFolder, host })).needed).toBe(false);
  });

  it.each(['', '{', '[]', '{"tokens":[{"name":"anna"}]}', '{"tokens":[],"more":1}'])(
    'let nobody in where they cannot be read: %s',
    async (content) => {
      await writeFile(path(), content);
      const attempt = openTokens([], { dataFolder, host });
      await expect(attempt).rejects.toMatchObject({ name: 'StoreError', kind: 'damaged' });
      await expect(attempt).rejects.toThrow(/tokens\.json.*readback token add/);
    },
  );

  it('open a gateway to other machines as those of the configuration do', async () => {
    await expect(openTokens([], { dataFolder, host: '0.0.0.0' })).rejects.toThrow(/lets other machines in/);
    await new TokenFile(diskFiles, dataFolder).write([BEN]);
    expect((await openTokens([], { dataFolder, host: '0.0.0.0' })).needed).toBe(true);
  });

  it('may not have the name or the bytes of one of the configuration', async () => {
    await new TokenFile(diskFiles, dataFolder).write([ANNA]);
    for (const configured of [tokenRecord('anna', 'read'), { ...ANNA, name: 'anne' }]) {
      const attempt = openTokens([configured], { dataFolder, host });
      await expect(attempt).rejects.toThrow(StartError);
      await expect(attempt).rejects.toThrow(/readback token revoke anna/);
    }
  });
});

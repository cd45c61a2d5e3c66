import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDaemonFile } from '../../gateway/commands/daemon-file.ts';
import { addToken, listTokens, revokeToken } from '../../gateway/commands/token.ts';
import { StartError } from '../../gateway/domain/errors.ts';
import { diskFiles } from '../../gateway/store/file-layer.ts';
import { takeLock } from '../../gateway/store/lock.ts';
import { openTestDoors } from '../support/doors.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

let folder: string;
let data: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readback-token-command-'));
  data = join(folder, 'data');
});

afterEach(() => rm(folder, { recursive: true }));

const shown = (told: string) => /\n {2}([\w-]{32})\n/.exec(told)?.[1] ?? '';

describe('readback token, while no gateway runs', () => {
  it('works on the data folder, which need not be there yet', async () => {
    const told = await addToken({ data }, 'phone', ['approve', 'read']);
    expect(told).toMatch(/^Token of phone \(approve, read\), shown this once:\n/);
    expect(told).toContain('It is the first one');
    expect((await stat(join(data, 'tokens.json'))).mode & 0o077).toBe(0);
    expect(await readFile(join(data, 'tokens.json'), 'utf8')).not.toContain(shown(told));
    expect(await addToken({ data }, 'tv', ['read'])).not.toContain('It is the first one');
    expect(await listTokens({ data })).toBe('  phone  approve, read  (added)\n  tv     read  (added)');
    expect(await revokeToken({ data }, 'phone')).toBe('The token of phone opens nothing any more.');
    expect(await revokeToken({ data }, 'tv')).toContain('It was the last one');
    expect(await listTokens({ data })).toMatch(/^There are no tokens/);
  });

  it('refuses in one line what cannot be', async () => {
    await addToken({ data }, 'phone', ['read']);
    await expect(addToken({ data }, 'phone', ['read'])).rejects.toThrow(/^there is a token named "phone" already$/);
    await expect(addToken({ data }, 'a b', ['read'])).rejects.toThrow(StartError);
    await expect(revokeToken({ data }, 'nobody')).rejects.toThrow(/no token named "nobody"/);
  });

  it('keeps out of a folder in which a gateway is just starting', async () => {
    await addToken({ data }, 'phone', ['read']);
    const lock = await takeLock(diskFiles, data, () => {});
    await expect(revokeToken({ data }, 'phone')).rejects.toThrow(/in use by process/);
    await lock.release();
  });
});

describe('readback token, while a gateway runs', () => {
  it('goes through it, by the token in the data folder', async () => {
    const doors = await openTestDoors({ configured: [tokenRecord('owner', 'admin'), tokenRecord('kiosk', 'read')] });
    await diskFiles.makeFolder(data);
    await writeDaemonFile(data, { url: doors.origin, pid: process.pid, token: doors.tokens.localToken });
    const token = shown(await addToken({ data }, 'phone', ['approve']));
    expect(doors.tokens.find(token)).toMatchObject({ name: 'phone', scopes: ['approve'] });
    expect(await listTokens({ data })).toBe(
      '  owner  admin  (configuration)\n  kiosk  read  (configuration)\n  phone  approve  (added)',
    );
    await expect(revokeToken({ data }, 'owner')).rejects.toThrow(/take it out there/);
    await revokeToken({ data }, 'phone');
    expect(doors.tokens.find(token)).toBeUndefined();

    const asKiosk = { url: doors.origin, token: tokenOf('kiosk') };
    await expect(listTokens(asKiosk)).rejects.toThrow(/needs the scope admin/);
    await expect(listTokens({ url: doors.origin })).rejects.toThrow(/--token or READBACK_TOKEN/);
    await doors.close();
    await expect(listTokens(asKiosk)).rejects.toThrow(/no gateway answers at/);
  });

  it('tells why it was turned away before anybody looked at what it wants', async () => {
    const doors = await openTestDoors({
      configured: [tokenRecord('owner', 'admin')],
      server: { limits: { requests_per_second: 1 } },
    });
    const owner = { url: doors.origin, token: tokenOf('owner') };
    await listTokens(owner);
    await listTokens(owner);
    await expect(listTokens(owner)).rejects.toThrow(/Too many requests of "owner".*requests_per_second/);
    await doors.close();
  });
});

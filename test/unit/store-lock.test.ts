import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPresence } from '../../gateway/store/presence-socket.ts';
import type { StoreNotice } from '../../gateway/store/store-errors.ts';
import { actuation } from '../support/actuations.ts';
import { openTasks } from '../support/task-stores.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readback-lock-'));
});

afterEach(() => rm(folder, { recursive: true }));

const hasProc = process.platform === 'linux';

describe('the lock of a data folder', () => {
  it('lets nobody else in, and names the process that is', async () => {
    const store = await openTasks({ folder });
    await expect(openTasks({ folder })).rejects.toMatchObject({
      kind: 'locked',
      message: `The data folder ${folder} is in use by process ${process.pid}: stop it, or use another folder.`,
    });
    await store.close();
    await (await openTasks({ folder })).close();
    expect(await readdir(folder)).toEqual([]);
  });

  it('names another process that runs', async () => {
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: process.ppid, began: null }));
    await expect(openTasks({ folder })).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining(`process ${process.ppid}`),
    });
  });

  it('is taken over from a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: child.pid, began: 'then' }));
    await expectTakenOver(`process ${child.pid}, which is gone`);
  });

  it.runIf(hasProc)('is taken over where the pid belongs to a process that began later', async () => {
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: process.ppid, began: 'another boot/1' }));
    await expectTakenOver(`process ${process.ppid}, which is gone`);
  });

  it.runIf(hasProc)('is not taken over from another container, unless the machine was booted since', async () => {
    const store = await openTasks({ folder });
    const own = JSON.parse(await readFile(join(folder, 'lock'), 'utf8'));
    await store.close();
    expect(own.space).toMatch(/^pid:\[\d+\]$/);
    const elsewhere = { ...own, pid: 4_194_305, space: 'pid:[1]' };
    await writeFile(join(folder, 'lock'), JSON.stringify(elsewhere));
    await expect(openTasks({ folder })).rejects.toMatchObject({
      kind: 'locked',
      message: `The data folder ${folder} is in use by process 4194305 of another container: stop that container, use another folder, or remove ${folder}/lock where it runs no more.`,
    });
    await writeFile(join(folder, 'lock'), JSON.stringify({ ...elsewhere, began: 'another boot/1' }));
    await expectTakenOver('process 4194305, which is gone');
  });

  it.runIf(hasProc)(
    'is taken over from another container whose process does not answer at its socket any more',
    async () => {
      const store = await openTasks({ folder });
      const own = JSON.parse(await readFile(join(folder, 'lock'), 'utf8'));
      await store.close();
      const presence = await openPresence(folder, 'pid:[1]');
      const elsewhere = { ...own, pid: 4_194_305, space: 'pid:[1]', socket: presence?.name };
      await writeFile(join(folder, 'lock'), JSON.stringify(elsewhere));
      await expect(openTasks({ folder })).rejects.toMatchObject({ kind: 'locked' });
      await presence?.close();
      await writeFile(join(folder, String(presence?.name)), 'left behind');
      await expectTakenOver('process 4194305, which is gone');
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it.each(['', '\0\0\0\0', '{"pid"'])('is taken over where a power cut left %j of it', async (text) => {
    await writeFile(join(folder, 'lock'), text);
    await expectTakenOver('a process that a power cut ended');
  });

  it('goes to one of many that ask at once for a stale one', async () => {
    await writeFile(join(folder, 'lock'), '');
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => openTasks({ folder })));
    const opened = results.filter((result) => result.status === 'fulfilled');
    const refused = results.filter((result) => result.status === 'rejected');
    expect(opened).toHaveLength(1);
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'locked' });
    for (const { value } of opened) await value.close();
  });

  it('is let go when the folder turns out to be damaged', async () => {
    await writeFile(join(folder, 'journal-000001.jsonl'), '');
    await expect(openTasks({ folder })).rejects.toMatchObject({ kind: 'damaged' });
    await expect(openTasks({ folder })).rejects.toMatchObject({ kind: 'damaged' });
  });

  async function expectTakenOver(from: string): Promise<void> {
    const notices: StoreNotice[] = [];
    const store = await openTasks({ folder, onNotice: (notice) => notices.push(notice) });
    expect(notices).toEqual([{ type: 'stale_lock', message: expect.stringContaining(from) }]);
    await store.close();
  }
});

describe('the data folder', () => {
  it('is made for this user alone, with all its files', async () => {
    const deep = join(folder, 'a', 'b');
    const store = await openTasks({ folder: deep, compactAboveBytes: 1 });
    for (const taskId of ['a', 'b', 'c']) await store.put(actuation({ taskId }));
    const mode = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await mode(deep)).toBe(0o700);
    for (const name of await readdir(deep)) expect([name, await mode(join(deep, name))]).toEqual([name, 0o600]);
    await store.close();
  });

  it('is refused in one line where it cannot be one', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'below')]) {
      await expect(openTasks({ folder: path })).rejects.toMatchObject({
        kind: 'unwritable',
        message: expect.stringContaining(`Nothing can be stored in ${path}: it is not a folder`),
      });
    }
  });
});

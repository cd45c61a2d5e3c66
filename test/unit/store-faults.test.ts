import { describe, expect, it, vi } from 'vitest';
import { openHomeStore } from '../../gateway/store/home-store.ts';
import { openDocumentStore } from '../../gateway/store/journaled-documents.ts';
import type { StoreNotice } from '../../gateway/store/store-errors.ts';
import { actuation } from '../support/actuations.ts';
import { type DiskOperation, diskError, MemoryDisk } from '../support/memory-disk.ts';
import { openTasks } from '../support/task-stores.ts';

const folder = '/data';

/** A store on a disk, with all its notices. */
async function begin(disk = new MemoryDisk(), compactAboveBytes = 1_000_000) {
  const notices: StoreNotice[] = [];
  const store = await openTasks({
    folder,
    files: disk,
    compactAboveBytes,
    onNotice: (notice) => notices.push(notice),
  });
  return { disk, store, types: () => notices.map((notice) => notice.type), notices };
}

const failing =
  (code: string, ...kinds: readonly DiskOperation['kind'][]) =>
  ({ kind }: DiskOperation) => {
    if (kinds.includes(kind)) throw diskError(code);
  };

const ALL_WRITES = ['create', 'write', 'datasync', 'rename', 'syncFolder', 'truncate', 'unlink'] as const;

describe('a disk that fails', () => {
  it.each([
    ['ENOSPC', ['create', 'write']],
    ['EIO', ['datasync']],
    ['EIO', ['datasync', 'truncate']],
    ['EROFS', ALL_WRITES],
    ['EIO', ['syncFolder']],
    ['EIO', ['rename']],
  ] as const)(
    'with %s in %j acknowledges nothing, still reads, and goes on when it is well again',
    async (code, kinds) => {
      const { disk, store, types, notices } = await begin();
      await store.put(actuation({ taskId: 'before' }));
      // A journal that is open is not named anew: failures in that show only where one has to be begun.
      disk.fault = failing(code, ...kinds, 'write');
      const refusal = { name: 'StoreError', kind: 'unwritable', message: expect.stringContaining('/data') };
      await expect(store.put(actuation({ taskId: 'during' }))).rejects.toMatchObject(refusal);
      disk.fault = failing(code, ...kinds);
      await expect(store.put(actuation({ taskId: 'during' }))).rejects.toMatchObject(refusal);
      expect(await store.get('before')).toBeDefined();
      expect(await store.get('during')).toBeUndefined();

      disk.fault = () => {};
      await store.put(actuation({ taskId: 'after' }));
      expect(types()).toEqual(['unwritable', 'writable']);
      expect(notices[0]?.message).toContain(code);

      for (const next of [disk.afterKill(), disk.afterPowerCut(() => 0.99), disk.afterPowerCut(() => 0)]) {
        const { store: reopened } = await begin(next);
        expect((await reopened.list({ limit: 9 })).map((task) => task.taskId)).toEqual(['after', 'before']);
      }
    },
  );

  it('does not bring back a refused task when it is killed while the disk is full', async () => {
    const { disk, store } = await begin();
    await store.put(actuation({ taskId: 'before' }));
    disk.fault = failing('EIO', 'datasync');
    await expect(store.put(actuation({ taskId: 'refused' }))).rejects.toMatchObject({ kind: 'unwritable' });
    const { store: reopened } = await begin(disk.afterKill());
    expect((await reopened.list({ limit: 9 })).map((task) => task.taskId)).toEqual(['before']);
  });

  it('refuses everyone whose put was in the batch that failed, and nobody else', async () => {
    const { disk, store } = await begin();
    await store.put(actuation({ taskId: 'before' }));
    let syncs = 0;
    disk.fault = ({ kind, name }) => {
      if (kind === 'datasync' && name.startsWith('journal-000001') && ++syncs === 1) throw diskError('EIO');
    };
    const together = await Promise.allSettled(['a', 'b'].map((taskId) => store.put(actuation({ taskId }))));
    await store.put(actuation({ taskId: 'c' }));
    expect(together.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    expect((await store.list({ limit: 9 })).map((task) => task.taskId)).toEqual(['c', 'before']);
  });

  it('that stays full is not filled further by the attempts', async () => {
    const { disk, store } = await begin();
    await store.put(actuation({ taskId: 'before' }));
    const before = disk.files().size;
    // The header of a new journal, which is the first to be written to it, still fits; a record does not.
    let isHeader = false;
    disk.fault = ({ kind }) => {
      if (kind === 'write' && !isHeader) throw diskError('ENOSPC');
      isHeader = kind === 'create';
    };
    for (let attempt = 0; attempt < 20; attempt++) {
      await expect(store.put(actuation({ taskId: 'a' }))).rejects.toMatchObject({ kind: 'unwritable' });
    }
    expect(disk.files().size).toBeLessThanOrEqual(before + 1);
  });

  it('writes everything out anew once it is well, for older pages may be gone too', async () => {
    const { disk, store } = await begin();
    await store.put(actuation({ taskId: 'before' }));
    disk.fault = failing('EIO', 'datasync');
    await expect(store.put(actuation({ taskId: 'a' }))).rejects.toMatchObject({ kind: 'unwritable' });
    disk.fault = () => {};
    await store.put(actuation({ taskId: 'b' }));
    await store.put(actuation({ taskId: 'c' }));
    await store.close();
    expect([...disk.files().keys()].some((name) => name.startsWith('snapshot'))).toBe(true);
  });

  it.each(['ENOSPC', 'EDQUOT'])(
    'with %s at the start lets what it holds be read, says so, and goes on',
    async (code) => {
      const { disk, store } = await begin();
      await store.put(actuation({ taskId: 'before' }));
      const full = disk.afterKill();
      full.fault = failing(code, 'create', 'write');
      const notices: StoreNotice[] = [];
      const onNotice = (notice: StoreNotice) => notices.push(notice);
      const kept = await openHomeStore({ folder, files: full, onNotice, probeMs: 5 });
      expect(kept.health()).toMatchObject({ writable: false, reason: expect.stringContaining(code) });
      expect(await kept.tasks.get('before')).toBeDefined();
      await expect(kept.tasks.put(actuation({ taskId: 'a' }))).rejects.toMatchObject({ kind: 'unwritable' });
      await expect(begin(full)).rejects.toMatchObject({ kind: 'locked' });
      full.fault = () => {};
      await vi.waitUntil(() => kept.health().writable);
      await kept.tasks.put(actuation({ taskId: 'after' }));
      expect(notices.map((notice) => notice.type)).toEqual(['unwritable', 'writable']);
      await kept.tasks.close();
      expect([...full.files().keys()].filter((name) => name.startsWith('lock'))).toEqual([]);
    },
  );

  it('is noticed to be well again though nobody has anything to store, and the attempts leave nothing behind', async () => {
    const disk = new MemoryDisk();
    const kept = await openHomeStore({ folder, files: disk, probeMs: 5 });
    await kept.tasks.put(actuation({ taskId: 'a' }));
    expect(kept.health()).toEqual({ writable: true });
    let attempts = 0;
    disk.fault = ({ kind, name }) => {
      if (kind !== 'datasync') return;
      if (name.startsWith('journal')) attempts += 1;
      throw diskError('EIO');
    };
    await expect(kept.tasks.put(actuation({ taskId: 'b' }))).rejects.toMatchObject({ kind: 'unwritable' });
    await vi.waitUntil(() => attempts > 3);
    const health = kept.health();
    expect(health).toMatchObject({ writable: false, reason: expect.stringContaining('EIO') });
    expect(health.writable ? 0 : health.forMs).toBeGreaterThan(0);
    disk.fault = () => {};
    await vi.waitUntil(() => kept.health().writable);
    expect((await kept.tasks.list({ limit: 9 })).map((task) => task.taskId)).toEqual(['a']);
    await kept.tasks.close();
    const { store } = await begin(disk.afterKill());
    expect((await store.list({ limit: 9 })).map((task) => task.taskId)).toEqual(['a']);
  });

  it.each([
    ['EACCES', 'permission denied'],
    ['EROFS', 'it is on a read-only file system; mount it for writing'],
  ])('with %s is named at the start, in one line', async (code, what) => {
    const disk = new MemoryDisk();
    disk.fault = failing(code, 'create');
    await expect(begin(disk)).rejects.toMatchObject({
      kind: 'unwritable',
      message: expect.stringMatching(`^Nothing can be stored in /data: ${what}.*\\(${code}\\)\\.$`),
    });
  });
});

describe('compaction', () => {
  it('bounds the files, however often a task is put', async () => {
    const { disk, store } = await begin(new MemoryDisk(), 10_000);
    const live = JSON.stringify(actuation({ taskId: 'a' })).length;
    for (let round = 0; round < 300; round++) await store.put({ ...actuation({ taskId: 'a' }), reads: round });
    await store.close();
    const bytes = [...disk.files().values()].reduce((sum, content) => sum + content.length, 0);
    // Two snapshots, and three journals of which each ends within one record of the bound.
    expect(bytes).toBeLessThan(2 * (live + 500) + 3 * (10_000 + live + 500));
    expect(disk.files().size).toBeLessThanOrEqual(5);
  });

  it('folds the short journals of many starts', async () => {
    let disk = new MemoryDisk();
    for (let run = 0; run < 40; run++) {
      const { store } = await begin(disk);
      await store.put(actuation({ taskId: `t${run}` }));
      await store.close();
      expect(disk.files().size).toBeLessThan(24);
      disk = disk.afterKill();
    }
    const { store } = await begin(disk);
    expect(await store.list({ limit: 100 })).toHaveLength(40);
  });

  it('that fails says so, loses nothing, leaves no half file, and is tried again', async () => {
    const { disk, store, types } = await begin(new MemoryDisk(), 3000);
    disk.fault = ({ kind, name }) => {
      if (kind === 'write' && name.startsWith('snapshot')) throw diskError('ENOSPC');
    };
    for (let round = 0; round < 10; round++) await store.put(actuation({ taskId: `t${round}` }));
    expect(types()).toContain('compaction_failed');
    expect(types()).not.toContain('unwritable');
    disk.fault = () => {};
    for (let round = 10; round < 20; round++) await store.put(actuation({ taskId: `t${round}` }));
    await store.close();
    const names = [...disk.files().keys()];
    expect(names.filter((name) => name.startsWith('snapshot') && name.endsWith('.json')).length).toBeGreaterThan(0);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const { store: reopened } = await begin(disk.afterKill());
    expect(await reopened.list({ limit: 100 })).toHaveLength(20);
  });

  it('does not hold up puts while the snapshot is written', async () => {
    const { disk, store } = await begin(new MemoryDisk(), 3000);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const create = disk.create.bind(disk);
    disk.create = async (path) => {
      if (path.includes('snapshot')) await held;
      return create(path);
    };
    for (let round = 0; round < 20; round++) await store.put(actuation({ taskId: `t${round}` }));
    expect(await store.list({ limit: 100 })).toHaveLength(20);
    release();
    await store.close();
  });
});

describe('group commit', () => {
  it('puts many at the cost of one write and one sync', async () => {
    const { disk, store } = await begin();
    await store.put(actuation({ taskId: 'first' }));
    const kinds: string[] = [];
    disk.fault = ({ kind }) => kinds.push(kind);
    await Promise.all(Array.from({ length: 500 }, (_, index) => store.put(actuation({ taskId: `t${index}` }))));
    expect(kinds).toEqual(['write', 'datasync']);
  });
});

describe('several kinds of documents in one folder', () => {
  const check = (value: unknown) => value as { readonly ms: number };

  it('are kept apart, and kept by a run that does not ask for them', async () => {
    let disk = new MemoryDisk();
    const documents = await openDocumentStore({ folder, files: disk });
    await documents.collection('timings', check).put('a', { ms: 5 });
    await documents.collection('other', check).put('a', { ms: 6 });
    await documents.close();
    disk = disk.afterKill();
    const { store } = await begin(disk, 1);
    for (const taskId of ['x', 'y', 'z']) await store.put(actuation({ taskId }));
    await store.close();
    expect([...disk.files().keys()].some((name) => name.startsWith('snapshot'))).toBe(true);
    const reopened = await openDocumentStore({ folder, files: disk.afterKill() });
    expect([...reopened.collection('timings', check).values()]).toEqual([{ ms: 5 }]);
    expect(reopened.collection('other', check).get('a')).toEqual({ ms: 6 });
  });
});

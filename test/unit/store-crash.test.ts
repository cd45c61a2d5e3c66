import { describe, expect, it } from 'vitest';
import type { TaskStore } from '../../gateway/domain/store.ts';
import { actuation } from '../support/actuations.ts';
import { type Chance, MemoryDisk } from '../support/memory-disk.ts';
import { openTasks } from '../support/task-stores.ts';

/** What the caller of a store was told: per task, the latest put that began, and the latest that was acknowledged. */
interface Told {
  readonly begun: Map<string, number>;
  readonly acknowledged: Map<string, number>;
}

const KEYS = ['a', 'b', 'c'];

/** Small enough for several compactions in one run. */
const open = (disk: MemoryDisk) => openTasks({ folder: '/data', files: disk, compactAboveBytes: 4000 });

/** Opens, puts with and without waiting, and closes; ends early where the disk does. */
async function work(disk: MemoryDisk, told: Told): Promise<void> {
  try {
    const store = await open(disk);
    for (let round = 0; round < 8; round++) {
      await Promise.allSettled(KEYS.map((taskId) => put(store, taskId, told)));
    }
    await store.close();
  } catch {
    // Killed while opening or closing.
  }
}

async function put(store: TaskStore, taskId: string, told: Told): Promise<void> {
  const reads = (told.begun.get(taskId) ?? 0) + 1;
  told.begun.set(taskId, reads);
  await store.put({ ...actuation({ taskId }), reads });
  told.acknowledged.set(taskId, reads);
}

async function expectNothingLost(disk: MemoryDisk, told: Told): Promise<void> {
  const store = await open(disk);
  for (const key of KEYS) {
    const found = (await store.get(key))?.reads ?? 0;
    expect(found, key).toBeGreaterThanOrEqual(told.acknowledged.get(key) ?? 0);
    expect(found, key).toBeLessThanOrEqual(told.begun.get(key) ?? 0);
    if (found > 0) told.acknowledged.set(key, found);
  }
  await store.close();
}

/** A small generator with a seed, so that a power cut that goes wrong goes wrong again. */
function chances(seed: number): Chance {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const nobody = (): Told => ({ begun: new Map(), acknowledged: new Map() });

/** How many operations the work takes when nothing goes wrong. */
async function countOperations(): Promise<number> {
  const disk = new MemoryDisk();
  await work(disk, nobody());
  expect([...disk.files().keys()].filter((name) => name.startsWith('snapshot'))).toHaveLength(2);
  return disk.operations;
}

describe('whatever operation the process is ended in, every acknowledged task is there', () => {
  it('by SIGKILL', async () => {
    const operations = await countOperations();
    for (let killAt = 1; killAt <= operations; killAt++) {
      const told = nobody();
      const disk = new MemoryDisk();
      disk.killAt = killAt;
      await work(disk, told);
      await expectNothingLost(disk.afterKill(), told);
    }
  });

  it('by a power cut that keeps some of what was not synced', async () => {
    const operations = await countOperations();
    for (let killAt = 1; killAt <= operations; killAt++) {
      for (let seed = 1; seed <= 5; seed++) {
        const told = nobody();
        const disk = new MemoryDisk();
        disk.killAt = killAt;
        await work(disk, told);
        await expectNothingLost(disk.afterPowerCut(chances(killAt * 31 + seed)), told);
      }
    }
  });

  it('by SIGKILL, and by a power cut at any moment of the start that follows', async () => {
    const operations = await countOperations();
    for (let killAt = 5; killAt <= operations; killAt += 7) {
      for (let again = 1; again <= 40; again += 3) {
        const told = nobody();
        const disk = new MemoryDisk();
        disk.killAt = killAt;
        await work(disk, told);
        const second = disk.afterKill();
        second.killAt = again;
        await work(second, told);
        await expectNothingLost(second.afterPowerCut(chances(killAt * 31 + again)), told);
      }
    }
  });

  it('what a start has shown is still there after a power cut', async () => {
    const operations = await countOperations();
    for (let killAt = 1; killAt <= operations; killAt++) {
      const told = nobody();
      const disk = new MemoryDisk();
      disk.killAt = killAt;
      await work(disk, told);
      const second = disk.afterKill();
      await expectNothingLost(second, told);
      await expectNothingLost(second.afterPowerCut(chances(killAt)), told);
    }
  });
});

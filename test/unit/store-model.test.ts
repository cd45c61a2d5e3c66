import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { TaskStore } from '../../gateway/domain/store.ts';
import { actuation, settledAt } from '../support/actuations.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { openTasks } from '../support/task-stores.ts';

type Operation =
  | { readonly type: 'put'; readonly taskId: string; readonly reads: number }
  | { readonly type: 'settle'; readonly taskId: string; readonly wall: number }
  | { readonly type: 'remove'; readonly taskIds: readonly string[] }
  | { readonly type: 'reopen' }
  | { readonly type: 'kill' };

const taskId = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('put'), taskId, reads: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('settle'), taskId, wall: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove'), taskIds: fc.array(taskId, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('reopen' as const, 'kill' as const) }) },
);

/** What the store should hold: as plain as it can be said. */
class Model {
  tasks: Actuation[] = [];

  put(record: Actuation): void {
    const place = this.tasks.findIndex((task) => task.taskId === record.taskId);
    if (place < 0) this.tasks.push(record);
    else this.tasks[place] = record;
  }

  remove(taskIds: readonly string[]): void {
    this.tasks = this.tasks.filter((task) => !taskIds.includes(task.taskId));
  }
}

it('agrees with a plain list through any operations, restarts and kills', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 40 }),
      fc.integer({ min: 1, max: 20_000 }),
      async (all, bound) => {
        let disk = new MemoryDisk();
        const open = () => openTasks({ folder: '/data', files: disk, compactAboveBytes: bound });
        let store = await open();
        const model = new Model();
        for (const each of all) {
          if (each.type === 'reopen' || each.type === 'kill') {
            if (each.type === 'reopen') await store.close();
            disk = disk.afterKill();
            store = await open();
          } else {
            await perform(each, store, model);
          }
          expect(await store.list({ limit: 1000 })).toEqual([...model.tasks].reverse());
        }
      },
    ),
    { numRuns: 60 },
  );
});

async function perform(
  each: Extract<Operation, { readonly type: 'put' | 'settle' | 'remove' }>,
  store: TaskStore,
  model: Model,
): Promise<void> {
  if (each.type === 'remove') {
    await store.remove(each.taskIds);
    model.remove(each.taskIds);
    return;
  }
  const record = actuation({ taskId: each.taskId });
  const next = each.type === 'put' ? { ...record, reads: each.reads } : settledAt(record, each.wall);
  await store.put(next);
  model.put(next);
}

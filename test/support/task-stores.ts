import type { TaskStore } from '../../gateway/domain/store.ts';
import { memoryHomeStore, openHomeStore } from '../../gateway/store/home-store.ts';

/** The tasks of a data folder. */
export async function openTasks(options: Parameters<typeof openHomeStore>[0]): Promise<TaskStore> {
  return (await openHomeStore(options)).tasks;
}

/** Tasks without a disk. */
export function memoryTasks(): TaskStore {
  return memoryHomeStore().tasks;
}

/** A store whose `put` is another. */
export function withPut(store: TaskStore, put: TaskStore['put']): TaskStore {
  return {
    put,
    get: (taskId) => store.get(taskId),
    list: (query) => store.list(query),
    count: () => store.count(),
    days: () => store.days(),
    remove: (taskIds) => store.remove(taskIds),
    close: () => store.close(),
  };
}

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

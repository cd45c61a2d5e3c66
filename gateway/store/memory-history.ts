import { dayOf, type History, type PastTask } from '../domain/history.ts';

/** History that lasts as long as the process, and has no bounds: for tests. */
export class MemoryHistory implements History {
  readonly #tasks = new Map<string, PastTask>();

  async days(): Promise<readonly string[]> {
    const days = Array.from(this.#tasks.values(), ({ actuation }) => dayOf(actuation));
    return [...new Set(days)].sort().reverse();
  }

  async read(day: string): Promise<readonly PastTask[]> {
    return [...this.#tasks.values()].filter(({ actuation }) => dayOf(actuation) === day);
  }

  async append(tasks: readonly PastTask[]): Promise<void> {
    for (const past of tasks) this.#tasks.set(past.actuation.taskId, past);
  }

  async trim(): Promise<readonly string[]> {
    return [];
  }
}

import { z } from 'zod';
import { type Actuation, PHASES } from '../domain/actuation.ts';
import type { Collection, TaskQuery, TaskStore } from '../domain/store.ts';
import type { DocumentStore } from './document-store.ts';
import { closed } from './store-errors.ts';

const instantSchema = z.object({ mono: z.number(), wall: z.number() });

/** What the store itself relies on; the rest of a record is vouched for by its checksum and the format's version. */
const recordSchema = z.object({
  taskId: z.string().min(1),
  principal: z.string(),
  deviceId: z.string(),
  phase: z.enum(PHASES),
  createdAt: instantSchema,
  fields: z.array(z.object({ field: z.string() })),
  outcome: z.object({ type: z.enum(['verdict', 'cancelled', 'failed']), at: instantSchema }).nullable(),
});

function checkRecord(value: unknown): Actuation {
  recordSchema.parse(value);
  return value as Actuation;
}

/**
 * Tasks as documents of a store, which it closes. Records are read-only: what was put, and what `get` and `list` give,
 * is the very object that is kept.
 */
export class DocumentTaskStore implements TaskStore {
  readonly #documents: DocumentStore;
  readonly #tasks: Collection<Actuation>;
  #closed = false;

  /** @throws StoreError `damaged` where a stored record is not one that this version understands */
  constructor(documents: DocumentStore) {
    this.#documents = documents;
    this.#tasks = documents.collection('tasks', checkRecord);
  }

  async put(actuation: Actuation): Promise<void> {
    await this.#open().put(actuation.taskId, actuation);
  }

  async get(taskId: string): Promise<Actuation | undefined> {
    return this.#open().get(taskId);
  }

  async list(query: TaskQuery): Promise<readonly Actuation[]> {
    const newestFirst = [...this.#open().values()].reverse();
    const from = query.after === undefined ? 0 : placeAfter(newestFirst, query.after);
    const found: Actuation[] = [];
    for (let place = from; place < newestFirst.length && found.length < query.limit; place++) {
      const task = newestFirst[place];
      if (task && matches(task, query)) found.push(task);
    }
    return found;
  }

  async prune(settledBefore: number): Promise<number> {
    const tasks = this.#open();
    const old = [...tasks.values()].filter(({ outcome }) => outcome !== null && outcome.at.wall < settledBefore);
    await tasks.remove(old.map((task) => task.taskId));
    return old.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#documents.close();
  }

  #open(): Collection<Actuation> {
    if (this.#closed) throw closed();
    return this.#tasks;
  }
}

/** Nothing comes after a task that is not there (any more): the oldest are the first to be pruned. */
function placeAfter(tasks: readonly Actuation[], taskId: string): number {
  const place = tasks.findIndex((task) => task.taskId === taskId);
  return place < 0 ? tasks.length : place + 1;
}

function matches(task: Actuation, { principal, deviceId, open }: TaskQuery): boolean {
  if (principal !== undefined && task.principal !== principal) return false;
  if (deviceId !== undefined && task.deviceId !== deviceId) return false;
  return open === undefined || open === (task.outcome === null);
}

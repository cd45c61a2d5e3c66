import { z } from 'zod';
import { type Actuation, PHASES } from '../domain/actuation.ts';
import { dayName, dayNumber, numberOfDay } from '../domain/history.ts';
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

/** The collection in which tasks are kept. */
export const TASKS = 'tasks';

/** A stored record. @throws ZodError for one that this version does not understand */
export function checkRecord(value: unknown): Actuation {
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
    this.#tasks = documents.collection(TASKS, checkRecord);
  }

  async put(actuation: Actuation): Promise<void> {
    await this.#open().put(actuation.taskId, actuation);
  }

  async get(taskId: string): Promise<Actuation | undefined> {
    return this.#open().get(taskId);
  }

  async list(query: TaskQuery): Promise<readonly Actuation[]> {
    const tasks = this.#open().values();
    const day = query.day === undefined ? undefined : numberOfDay(query.day);
    const found: Actuation[] = [];
    let isPast = query.after === undefined;
    // Nothing comes after a task that is not there (any more).
    for (const task of query.oldestFirst ? tasks : [...tasks].reverse()) {
      if (found.length >= query.limit) break;
      if (isPast && matches(task, query) && (day === undefined || dayNumber(task) === day)) found.push(task);
      isPast ||= task.taskId === query.after;
    }
    return found;
  }

  async count(): Promise<number> {
    return this.#open().size;
  }

  async days(): Promise<readonly string[]> {
    const days = new Set<number>();
    for (const task of this.#open().values()) {
      if (task.outcome) days.add(dayNumber(task));
    }
    return [...days].sort((a, b) => b - a).map(dayName);
  }

  async remove(taskIds: readonly string[]): Promise<void> {
    await this.#open().remove(taskIds);
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

function matches(task: Actuation, { principal, deviceId, verdict, open }: TaskQuery): boolean {
  if (principal !== undefined && task.principal !== principal) return false;
  if (deviceId !== undefined && task.deviceId !== deviceId) return false;
  if (verdict !== undefined && (task.outcome?.type !== 'verdict' || task.outcome.verdict !== verdict)) return false;
  return open === undefined || open === (task.outcome === null);
}

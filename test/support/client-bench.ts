import { NoServer } from '../../gateway/client/failure.ts';
import type { Endpoint } from '../../gateway/client/gateway-link.ts';
import type { Question } from '../../gateway/client/questions.ts';
import { type ClientEvent, TaskClient } from '../../gateway/client/task-client.ts';
import { checkWish, type Target, type Wish } from '../../gateway/client/wish.ts';
import type { Collection } from '../../gateway/domain/store.ts';
import { MemoryDocuments } from '../../gateway/store/memory-documents.ts';

/** What a client keeps, in memory that outlives it; it dies where a test says so. */
export class KeptWishes implements Collection<Wish> {
  readonly #kept = new MemoryDocuments().collection('wishes', checkWish);
  /** How many puts still come through: after them the process is as good as dead. */
  putsLeft = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#kept.size;
  }

  keys(): Iterable<string> {
    return this.#kept.keys();
  }

  get(key: string): Wish | undefined {
    return this.#kept.get(key);
  }

  values(): Iterable<Wish> {
    return this.#kept.values();
  }

  async put(key: string, value: Wish): Promise<void> {
    this.putsLeft -= 1;
    if (this.putsLeft < 0) await new Promise(() => {});
    await this.#kept.put(key, value);
  }

  remove(keys: readonly string[]): Promise<void> {
    return this.#kept.remove(keys);
  }
}

/** A client with its ear to the ground. */
export class ClientBench {
  readonly events: ClientEvent[] = [];
  readonly client: TaskClient;
  readonly #listeners = new Set<() => void>();

  /** @param locate where its one server is; undefined while there is none */
  constructor(locate: () => string | Endpoint | undefined, wishes: Collection<Wish> = new KeptWishes()) {
    this.client = new TaskClient({
      wishes,
      info: { name: 'test', version: '0' },
      locate: async () => {
        const found = locate();
        if (found === undefined) throw new NoServer('no server runs');
        return typeof found === 'string' ? { url: found } : found;
      },
    });
    this.client.subscribe((event) => {
      this.events.push(event);
      for (const listener of this.#listeners) listener();
    });
  }

  /** Wishes for something of the one server. */
  wish(target: Target, withinMs = 30_000): Promise<Wish> {
    return this.client.call({ server: 'home', target, withinMs });
  }

  /** Waits until something fits, among what was told already or is to come. */
  async heard<Found>(find: (event: ClientEvent) => Found | undefined): Promise<Found> {
    for (;;) {
      for (const event of this.events) {
        const found = find(event);
        if (found !== undefined) return found;
      }
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  /** Waits until the server has made a task of a wish. @returns the task's id */
  task({ id }: Wish): Promise<string> {
    return this.heard((event) => (event.type === 'task' && event.wish.id === id ? event.task.taskId : undefined));
  }

  /** Waits for a question of a wish. */
  question({ id }: Wish): Promise<Question> {
    return this.heard((event) =>
      event.type === 'question' && event.question.wishId === id ? event.question : undefined,
    );
  }

  /** The states of the record of a wish, in order. */
  stages({ id }: Wish): string[] {
    return this.events.flatMap((event) => (event.type === 'wish' && event.wish.id === id ? event.wish.stage : []));
  }
}

/** Sets fields of a device. */
export function device(id: string, set: Readonly<Record<string, string | number>>): Target {
  return { type: 'device', device: id, set: { ...set } };
}

/** Calls a tool. */
export function tool(name: string, args: Readonly<Record<string, string | number>> = {}): Target {
  return { type: 'tool', name, args: { ...args } };
}

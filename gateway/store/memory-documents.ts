import type { Collection, StoreHealth } from '../domain/store.ts';
import { type DocumentStore, Documents } from './document-store.ts';
import { closed } from './store-errors.ts';

/** Documents that last as long as the process: for tests, and for whoever wants no files. */
export class MemoryDocuments implements DocumentStore {
  readonly #documents = new Documents();
  #closed = false;

  collection<T extends object>(name: string, check: (value: unknown) => T): Collection<T> {
    return this.#documents.view(name, check, async (changes) => {
      if (this.#closed) throw closed();
      for (const change of changes) this.#documents.apply(change);
    });
  }

  health(): StoreHealth {
    return { writable: true };
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

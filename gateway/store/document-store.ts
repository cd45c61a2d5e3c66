import { z } from 'zod';
import { type Collection, StoreError, type StoreHealth } from '../domain/store.ts';

/** Keyed collections of JSON documents; several kinds can share one folder. */
export interface DocumentStore {
  /**
   * @param check throws for a value that this version does not understand
   * @throws StoreError `damaged`, naming the document that `check` refused
   */
  collection<T extends object>(name: string, check: (value: unknown) => T): Collection<T>;
  health(): StoreHealth;
  /** Finishes what was begun and lets go of files. May be called twice. */
  close(): Promise<void>;
}

/** A document's new state. */
export interface Change {
  readonly collection: string;
  readonly key: string;
  /** null: it is forgotten. */
  readonly value: object | null;
}

/** A document as it is read from disk. Not looked into: a start reads many, and each kind checks its own. */
export const documentValue = z.custom<object>((value) => typeof value === 'object' && value !== null);

/** Makes changes last, applies them to `Documents`, and resolves. */
export type Commit = (changes: readonly Change[]) => Promise<void>;

/** What every document store holds in memory. */
export class Documents {
  readonly #collections = new Map<string, Map<string, object>>();

  apply(change: Change): void {
    const documents = this.#documents(change.collection);
    if (change.value) documents.set(change.key, change.value);
    else documents.delete(change.key);
  }

  /** Every document there is, as it is now: later changes do not show in it. */
  all(): Change[] {
    return [...this.#collections].flatMap(([collection, documents]) =>
      Array.from(documents, ([key, value]) => ({ collection, key, value })),
    );
  }

  view<T extends object>(name: string, check: (value: unknown) => T, commit: Commit): Collection<T> {
    const documents = this.#documents(name);
    for (const [key, value] of documents) verify(name, key, value, check);
    // What is in the map was checked just above, or came through `put`.
    const typed = documents as Map<string, T>;
    return {
      get size() {
        return typed.size;
      },
      get: (key) => typed.get(key),
      keys: () => typed.keys(),
      values: () => typed.values(),
      put: (key, value) => commit([{ collection: name, key, value }]),
      remove: (keys) => commit(keys.map((key) => ({ collection: name, key, value: null }))),
    };
  }

  #documents(collection: string): Map<string, object> {
    let documents = this.#collections.get(collection);
    if (!documents) {
      documents = new Map();
      this.#collections.set(collection, documents);
    }
    return documents;
  }
}

function verify(collection: string, key: string, value: object, check: (value: unknown) => unknown): void {
  try {
    check(value);
  } catch (error) {
    throw new StoreError(
      'damaged',
      `The stored document ${key} of ${collection} is not one that this version understands: start the version that wrote it, or restore a backup.`,
      { cause: error },
    );
  }
}

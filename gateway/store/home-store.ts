import { z } from 'zod';
import type { Aftermath } from '../domain/drift.ts';
import type { Habit } from '../domain/habit.ts';
import type { Collection, TaskStore } from '../domain/store.ts';
import type { DocumentStore } from './document-store.ts';
import { DocumentTaskStore } from './document-task-store.ts';
import { type DocumentStoreOptions, openDocumentStore } from './journaled-documents.ts';
import { MemoryDocuments } from './memory-documents.ts';
import type { StoredKey } from './secret-key.ts';

/** Everything that one gateway keeps, in one folder. Closing the tasks closes it all. */
export interface HomeStore {
  readonly tasks: TaskStore;
  /** How long each field of each device takes to act. */
  readonly habits: Collection<Habit>;
  /** What happened to tasks after their verdict, by task id. */
  readonly aftermaths: Collection<Aftermath>;
  /** Keys with which the gateway signs what it will be shown again. */
  readonly keys: Collection<StoredKey>;
}

const habitSchema = z.looseObject({
  fromMs: z.number(),
  shiftMs: z.number(),
  spanMs: z.number(),
  seenMs: z.array(z.number()),
});
const keySchema = z.looseObject({ key: z.base64url().length(43) });
const aftermathSchema = z.looseObject({ taskId: z.string(), events: z.array(z.looseObject({ type: z.string() })) });

/**
 * Opens a data folder.
 * @throws StoreError `damaged`, `unwritable` or `locked`, in words for the person who starts the gateway
 */
export async function openHomeStore(options: DocumentStoreOptions): Promise<HomeStore> {
  const documents = await openDocumentStore(options);
  try {
    return homeStore(documents);
  } catch (error) {
    await documents.close();
    throw error;
  }
}

/** The same without a disk. */
export function memoryHomeStore(): HomeStore {
  return homeStore(new MemoryDocuments());
}

function homeStore(documents: DocumentStore): HomeStore {
  return {
    tasks: new DocumentTaskStore(documents),
    habits: documents.collection('habits', (value) => {
      habitSchema.parse(value);
      return value as Habit;
    }),
    aftermaths: documents.collection('aftermaths', (value) => {
      aftermathSchema.parse(value);
      return value as Aftermath;
    }),
    keys: documents.collection('keys', (value) => {
      keySchema.parse(value);
      return value as StoredKey;
    }),
  };
}

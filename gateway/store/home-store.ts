import { z } from 'zod';
import type { AgeMark } from '../domain/age.ts';
import type { Aftermath } from '../domain/drift.ts';
import type { Habit } from '../domain/habit.ts';
import type { History } from '../domain/history.ts';
import type { Collection, StoreHealth, TaskStore } from '../domain/store.ts';
import { DayFiles } from './day-files.ts';
import type { DocumentStore } from './document-store.ts';
import { DocumentTaskStore } from './document-task-store.ts';
import { diskFiles } from './file-layer.ts';
import { type DocumentStoreOptions, openDocumentStore } from './journaled-documents.ts';
import { MemoryDocuments } from './memory-documents.ts';
import { MemoryHistory } from './memory-history.ts';
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
  /** By which the age of a task is told, under the key `marks`. */
  readonly ages: Collection<Ages>;
  /** Where tasks go that are old. */
  readonly history: History;
  health(): StoreHealth;
}

/** The marks by which ages are told, oldest first. */
export interface Ages {
  readonly marks: readonly AgeMark[];
}

const habitSchema = z.looseObject({
  fromMs: z.number(),
  shiftMs: z.number(),
  spanMs: z.number(),
  seenMs: z.array(z.number()),
});
const keySchema = z.looseObject({ key: z.base64url().length(43) });
const agesSchema = z.looseObject({
  marks: z.array(z.looseObject({ boot: z.string(), mono: z.number(), livedMs: z.number() })),
});
const aftermathSchema = z.looseObject({ taskId: z.string(), events: z.array(z.looseObject({ type: z.string() })) });

/**
 * Opens a data folder.
 * @throws StoreError `damaged`, `unwritable` or `locked`, in words for the person who starts the gateway
 */
export async function openHomeStore(options: DocumentStoreOptions): Promise<HomeStore> {
  const documents = await openDocumentStore(options);
  try {
    const { folder, files = diskFiles, onNotice = () => {} } = options;
    return homeStore(documents, new DayFiles(files, folder, onNotice));
  } catch (error) {
    await documents.close();
    throw error;
  }
}

/** The same without a disk. */
export function memoryHomeStore(): HomeStore {
  return homeStore(new MemoryDocuments(), new MemoryHistory());
}

function homeStore(documents: DocumentStore, history: History): HomeStore {
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
    ages: documents.collection('ages', (value) => agesSchema.parse(value)),
    history,
    health: () => documents.health(),
  };
}

import type { TaskStore } from '../domain/store.ts';
import { DocumentTaskStore } from './document-task-store.ts';
import { type DocumentStoreOptions, openDocumentStore } from './journaled-documents.ts';

/**
 * Opens the task store of a data folder.
 * @throws StoreError `damaged`, `unwritable` or `locked`, in words for the person who starts the gateway
 */
export async function openJsonTaskStore(options: DocumentStoreOptions): Promise<TaskStore> {
  const documents = await openDocumentStore(options);
  try {
    return new DocumentTaskStore(documents);
  } catch (error) {
    await documents.close();
    throw error;
  }
}

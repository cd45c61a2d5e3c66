import type { TaskStore } from '../domain/store.ts';
import { DocumentTaskStore } from './document-task-store.ts';
import { MemoryDocuments } from './memory-documents.ts';

/** A task store without a disk. */
export function memoryTaskStore(): TaskStore {
  return new DocumentTaskStore(new MemoryDocuments());
}

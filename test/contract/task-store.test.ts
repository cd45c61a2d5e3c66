import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJsonTaskStore } from '../../gateway/store/json-task-store.ts';
import { memoryTaskStore } from '../../gateway/store/memory-task-store.ts';
import { taskStoreContract } from './task-store.contract.ts';

taskStoreContract('the memory store', async () => ({
  durable: false,
  open: async () => memoryTaskStore(),
  cleanUp: async () => {},
}));

taskStoreContract('the JSON file store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readback-store-'));
  return {
    durable: true,
    open: () => openJsonTaskStore({ folder }),
    cleanUp: () => rm(folder, { recursive: true }),
  };
});

taskStoreContract('the JSON file store that compacts all the time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readback-store-'));
  return {
    durable: true,
    open: () => openJsonTaskStore({ folder, compactAboveBytes: 1 }),
    cleanUp: () => rm(folder, { recursive: true }),
  };
});

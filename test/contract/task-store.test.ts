import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryTasks, openTasks } from '../support/task-stores.ts';
import { taskStoreContract } from './task-store.contract.ts';

taskStoreContract('the memory store', async () => ({
  durable: false,
  open: async () => memoryTasks(),
  cleanUp: async () => {},
}));

taskStoreContract('the JSON file store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readback-store-'));
  return {
    durable: true,
    open: () => openTasks({ folder }),
    cleanUp: () => rm(folder, { recursive: true }),
  };
});

taskStoreContract('the JSON file store that compacts all the time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'readback-store-'));
  return {
    durable: true,
    open: () => openTasks({ folder, compactAboveBytes: 1 }),
    cleanUp: () => rm(folder, { recursive: true }),
  };
});

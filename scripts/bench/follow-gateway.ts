import { setTimeout as delay } from 'node:timers/promises';
import { Router } from 'express';
import * as z from 'zod';
import { createAccess } from '../../gateway/http/access.ts';
import { createHandler } from '../../gateway/http/app.ts';
import { listen } from '../../gateway/http/listen.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { serveOffer } from '../../gateway/mcp/endpoint.ts';
import type { Task, TaskChange } from '../../gateway/mcp/task.ts';

// The gateway's endpoint over tasks that are nothing but tasks, so that what is measured is how they are followed. They end
// one after the other once it is told to begin; then it tells how many requests came and what they cost.

const [count = '0', overMs = '0'] = process.argv.slice(2);

/** How often some of them end, in ms. */
const BEAT_MS = 20;

const createdAt = new Date().toISOString();
const tasks = new Map(
  Array.from({ length: Number(count) }, (_, at): [string, Task] => {
    const taskId = `task-${at}`;
    return [
      taskId,
      {
        ...{ taskId, statusMessage: 'under way', createdAt, lastUpdatedAt: createdAt },
        ...{ ttlMs: null, pollIntervalMs: 1_000, status: 'working' },
      },
    ];
  }),
);
const listeners = new Set<(change: TaskChange) => void>();
let requests = 0;

const about = { name: 'readback', version: 'bench', onError: console.error };
const host = '127.0.0.1';
const mcp = serveOffer(
  () => ({
    instructions: '',
    tools: () => [],
    tasks: {
      get: async (taskId) => tasks.get(taskId),
      answer: async () => false,
      cancel: async () => false,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  }),
  { ...about, onRejected: console.error },
);
const access = createAccess(new Tokens({ configured: [] }));
const handler = createHandler({ ...about, mcp, api: Router(), access, host });
const { url } = await listen(
  (req, res) => {
    requests += 1;
    handler(req, res);
  },
  { host, port: 0 },
);

function end(taskId: string): void {
  const task = tasks.get(taskId);
  if (!task) return;
  const result = { content: [{ type: 'text' as const, text: 'done' }], structuredContent: { verdict: 'verified' } };
  const ended: Task = { ...task, status: 'completed', result };
  tasks.set(taskId, ended);
  for (const listener of listeners) listener({ taskId, as: () => ended });
}

/** Ends them by the clock: how busy this process is must not draw the measurement out. */
async function endAll(): Promise<void> {
  const open = [...tasks.keys()];
  const beganAt = performance.now();
  for (let ended = 0; ended < open.length; ) {
    await delay(BEAT_MS);
    const part = Math.min(1, (performance.now() - beganAt) / Math.max(1, Number(overMs)));
    for (const due = Math.floor(part * open.length); ended < due; ended += 1) end(open[ended] ?? '');
  }
}

const order = z.enum(['begin', 'tell']);

process.on('message', (message) => {
  if (order.parse(message) === 'begin') void endAll();
  else {
    const { user, system } = process.cpuUsage();
    process.send?.({ requests, cpuMs: (user + system) / 1_000 });
  }
});
process.once('disconnect', () => process.exit());
process.send?.({ url: `${url}/mcp` });

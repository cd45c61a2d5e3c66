import * as z from 'zod';
import { connect } from '../../gateway/client/connection.ts';
import { Polling } from '../../gateway/client/polling.ts';
import { Server, type ServerOptions } from '../../gateway/client/server.ts';
import { hasEnded, type TaskState } from '../../gateway/client/task-state.ts';

// One client that follows tasks to their end, either as it always does, or by asking after each of them every second. It
// tells when it has heard of every task once, and at the end what that cost.

const [url = '', count = '0', way = ''] = process.argv.slice(2);
const wanted = z.enum(['stream', 'poll']).parse(way);
const taskIds = Array.from({ length: Number(count) }, (_, at) => `task-${at}`);

const unseen = new Set(taskIds);
const open = new Set(taskIds);

function onTask(task: TaskState): void {
  if (unseen.delete(task.taskId) && unseen.size === 0) process.send?.({ seen: true });
  if (hasEnded(task)) open.delete(task.taskId);
  if (open.size > 0) return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1_000 });
  process.disconnect?.();
  process.exitCode = 0;
  setImmediate(() => process.exit());
}

const options: ServerOptions = {
  locate: async () => ({ url }),
  info: { name: 'readback-bench', version: '1' },
  ask: async () => ({ action: 'cancel' }),
  onError: console.error,
  follower: { onTask, onForgotten: console.error },
};

if (wanted === 'stream') {
  const server = new Server(options);
  for (const taskId of taskIds) server.follow(taskId);
} else {
  const connection = await connect({ ...options, endpoint: { url } });
  const never = new AbortController().signal;
  const polling = new Polling(async (taskId) => {
    const task = await connection.look(taskId, never);
    onTask(task);
    return hasEnded(task) ? null : 1_000;
  });
  for (const taskId of taskIds) polling.add(taskId);
}

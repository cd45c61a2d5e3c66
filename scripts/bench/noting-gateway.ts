import { join } from 'node:path';
import { Router } from 'express';
import { Engine } from '../../gateway/actuation/engine.ts';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { loadConfig } from '../../gateway/config/load.ts';
import { buildRegistry } from '../../gateway/devices/registry.ts';
import type { TaskStore } from '../../gateway/domain/store.ts';
import { createAccess } from '../../gateway/http/access.ts';
import { createHandler } from '../../gateway/http/app.ts';
import { listen } from '../../gateway/http/listen.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { createMcpEndpoint } from '../../gateway/mcp/endpoint.ts';
import { openHomeStore } from '../../gateway/store/home-store.ts';

// A gateway that prints for every change of a task when it was on disk: its id, the phase, and nanoseconds on the clock
// that all processes of a machine share.
const [config = '', folder = ''] = process.argv.slice(2);
const host = '127.0.0.1';
const about = { name: 'readback', version: 'bench', onError: console.error, onRejected: console.error };
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const clock = systemClock();

const home = await loadConfig(config, process.env);
const { tasks, habits, aftermaths, history } = await openHomeStore({
  folder: join(folder, 'noting'),
  onNotice: console.error,
});
const store: TaskStore = {
  put: async (actuation) => {
    await tasks.put(actuation);
    console.log(`${actuation.taskId} ${actuation.phase} ${process.hrtime.bigint()}`);
  },
  get: (taskId) => tasks.get(taskId),
  list: (query) => tasks.list(query),
  count: () => tasks.count(),
  days: () => tasks.days(),
  remove: (taskIds) => tasks.remove(taskIds),
  close: () => tasks.close(),
};
const devices = buildRegistry(home, { clock });
await devices.start();
const commands = new Engine({
  ...{ devices, store, habits, aftermaths, history, clock, log },
  ttlMs: home.tasks.ttl,
  approvalTtlMs: home.approvals.ttl,
});
await commands.start();
const mcp = createMcpEndpoint({ ...about, commands, clock });
const app = createHandler({ ...about, mcp, api: Router(), access: createAccess(new Tokens({ configured: [] })), host });
const { url } = await listen(app, { host, port: 0 });
process.send?.({ url: `${url}/mcp` });
process.once('disconnect', () => process.exit());

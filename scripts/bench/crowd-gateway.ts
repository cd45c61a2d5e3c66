import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { Engine } from '../../gateway/actuation/engine.ts';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { homeConfigSchema } from '../../gateway/config/schema.ts';
import { startDiscovery } from '../../gateway/devices/discovery/discovery.ts';
import { buildRegistry } from '../../gateway/devices/registry.ts';
import { startMqtt } from '../../gateway/mqtt.ts';
import { openHomeStore } from '../../gateway/store/home-store.ts';

// The gateway without its doors: what its devices heard is counted here, and how long its event loop let others wait.
const [folder = ''] = process.argv.slice(2);

/** How finely the event loop is watched, in ms; the figure holds as much of its own. */
const RESOLUTION_MS = 5;

const clock = systemClock();
const log = pino({ level: 'warn' }, pino.destination(2));
const home = homeConfigSchema.parse({ mqtt: { embedded: { port: 0 } } });
if (!home.mqtt) throw new Error('the home has a broker');
const { tasks, habits, aftermaths, history } = await openHomeStore({
  folder: join(folder, 'crowd'),
  onNotice: (notice) => log.warn({ ...notice }, 'the store'),
});
const mqtt = await startMqtt(home.mqtt, { clock, log });
const registry = buildRegistry(home, { clock, mqtt: mqtt.link });
const ttl = { ttlMs: home.tasks.ttl, approvalTtlMs: home.approvals.ttl };
const engine = new Engine({ devices: registry, store: tasks, habits, aftermaths, history, clock, log, ...ttl });
await engine.start();

let heard = 0;
registry.subscribe(({ type, device }) => {
  if (type !== 'present') return;
  device.subscribe((report) => {
    if (report.type === 'reading' && !report.retained) heard += 1;
  });
});
const { discovery_prefix: prefix, status_topic: statusTopic } = home.mqtt;
await startDiscovery({
  link: mqtt.link,
  registry,
  clock,
  log,
  prefix,
  statusTopic,
  allow: null,
  configured: () => ({}),
});

const loopDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
loopDelay.enable();
let busyFrom = performance.eventLoopUtilization();

const server = createServer((request, response) => {
  if (request.method === 'DELETE') {
    heard = 0;
    loopDelay.reset();
    busyFrom = performance.eventLoopUtilization();
  }
  const figures = {
    devices: registry.list().length,
    heard,
    delayP99Ms: loopDelay.percentile(99) / 1e6,
    utilization: performance.eventLoopUtilization(busyFrom).utilization,
  };
  response.setHeader('broker', mqtt.brokerUrl);
  response.end(JSON.stringify(figures));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}/` });
});
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());

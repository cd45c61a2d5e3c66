import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { startListeningProgram, startSimulatorProgram } from '../support/programs.ts';
import { createTask, rpc, rpcRequest } from '../support/rpc.ts';
import { type Figure, median, quantile } from './figure.ts';
import { writeQuickHome } from './quick-home.ts';
import type { Effort } from './workspace.ts';

const CANCELLED = '"status":"cancelled"';

/** Tasks that are made at a time: as many may share one sync. */
const BATCH = 50;

/**
 * How long it takes from the moment when a change of a task is on disk until a client has the notification, with a
 * thousand streams open: where each follows its own task, and where all of them follow the same one. The tasks wait for
 * a person, and what happens to them is that they are cancelled.
 */
export async function measureNotifications(folder: string, { quick }: Effort): Promise<Figure[]> {
  const simulator = await startSimulatorProgram(0);
  const config = await writeQuickHome(folder, 'always');
  const gateway = await startListeningProgram('scripts/bench/noting-gateway.js', [config, folder], {
    READBACK_SIMULATOR: simulator.url,
  });
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const streams = quick ? 50 : 1_000;
  const own = await createTasks(gateway.url, streams);
  const [common = ''] = await createTasks(gateway.url, 1);

  const cancel = (taskId: string) => rpc(gateway.url, rpcRequest('tasks/cancel', { taskId }));
  const heard: Promise<Heard>[] = [];
  for (const taskId of own) heard.push(...(await listen(gateway.url, agent, [taskId, common])));
  // One after another: a change meets a gateway that is at rest but for its streams.
  for (const taskId of own) await cancel(taskId);
  await cancel(common);
  const all = await Promise.all(heard);
  agent.destroy();
  await Promise.all([gateway, simulator].map(({ program }) => program.end('SIGTERM')));

  const stored = storedAt(gateway.program.stdout());
  const latencies = (of: (taskId: string) => boolean) =>
    all.filter(({ taskId }) => of(taskId)).map(({ taskId, at }) => Number(at - (stored.get(taskId) ?? at)) / 1e6);
  const ofOwn = latencies((taskId) => taskId !== common);
  const ofCommon = latencies((taskId) => taskId === common);
  const title = `stored change to client, ${streams.toLocaleString('en')} streams`;
  return [
    { ...figure('notified_median', `${title}, median`, median(ofOwn)), target: { at: 'most', value: 5 } },
    figure('notified_p95', `${title}, p95`, quantile(ofOwn, 0.95)),
    figure('notified_all_median', 'the same, one task that all follow, median', median(ofCommon)),
  ];
}

function figure(id: string, title: string, value: number): Figure {
  return { id, title, value, unit: 'ms' };
}

async function createTasks(url: string, count: number): Promise<string[]> {
  const taskIds: string[] = [];
  while (taskIds.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - taskIds.length) }, (_, index) =>
      createTask(url, 'set_climate', { target_temperature: 20 + (index % 2) }),
    );
    taskIds.push(...(await Promise.all(batch)));
  }
  return taskIds;
}

interface Heard {
  readonly taskId: string;
  /** Nanoseconds on the machine's clock. */
  readonly at: bigint;
}

/** Opens a stream, and waits for its acknowledgement. @returns when the end of each of the tasks was heard */
async function listen(url: string, agent: Agent, taskIds: readonly string[]): Promise<Promise<Heard>[]> {
  const { headers, body } = rpcRequest('subscriptions/listen', { notifications: { taskIds } });
  const request = httpRequest(url, { method: 'POST', headers, agent });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  const waiting = new Map<string, (heard: Heard) => void>();
  const heard = taskIds.map((taskId) => new Promise<Heard>((resolve) => waiting.set(taskId, resolve)));
  await new Promise<void>((resolve) => {
    response.on('data', (events: string) => {
      const at = process.hrtime.bigint();
      resolve();
      if (!events.includes(CANCELLED)) return;
      for (const [taskId, tell] of waiting) {
        if (events.split('\n\n').some((event) => event.includes(taskId) && event.includes(CANCELLED))) {
          tell({ taskId, at });
        }
      }
    });
  });
  return heard;
}

/** When the end of each task was on disk, by what the gateway printed. */
function storedAt(printed: string): ReadonlyMap<string, bigint> {
  const lines = printed.split('\n').map((line) => line.split(' '));
  return new Map(
    lines.flatMap(([taskId, phase, at]) => (taskId && phase === 'settled' && at ? [[taskId, BigInt(at)]] : [])),
  );
}

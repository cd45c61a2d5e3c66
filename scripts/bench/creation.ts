import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { openHomeStore } from '../../gateway/store/home-store.ts';
import { type Listening, startGatewayProgram, startSimulatorProgram } from '../support/programs.ts';
import { awaitSettled, createTask } from '../support/rpc.ts';
import { type Figure, median, quantile } from './figure.ts';
import { writeQuickHome } from './quick-home.ts';
import type { Effort } from './workspace.ts';

const STORED_TASKS = 10_000;

/** Records put at a time while the store is filled: as many may share one sync. */
const BATCH = 500;

const WARM_UP = 20;

/**
 * How long a call takes to become a task, from the request to the handle on disk, over HTTP: with an empty store and
 * with ten thousand tasks in it. The two take turns, so that what else the machine does meets both alike.
 */
export async function measureCreation(folder: string, { quick }: Effort): Promise<Figure[]> {
  const simulator = await startSimulatorProgram(0);
  const config = await writeQuickHome(folder);
  const start = (name: string): Promise<Listening> => {
    const env = { READBACK_SIMULATOR: simulator.url };
    return startGatewayProgram({ config, dataFolder: join(folder, name), port: 0, env });
  };
  await fill(join(folder, 'full'), () => start('full'));
  const empty = await start('empty');
  const begun = performance.now();
  const full = await start('full');
  const startMs = performance.now() - begun;

  const samples = { empty: [] as number[], full: [] as number[] };
  const rounds = quick ? 30 : 300;
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [name, { url }] of [['empty', empty] as const, ['full', full] as const]) {
      const ms = await timedCreation(url, round);
      if (round >= 0) samples[name].push(ms);
    }
  }
  await Promise.all([empty, full, simulator].map(({ program }) => program.end('SIGTERM')));

  const most = (value: number) => ({ at: 'most', value }) as const;
  const ratio = median(samples.full) / median(samples.empty);
  return [
    figure('creation_empty_median', 'creation of a task, empty store, median', median(samples.empty), most(50)),
    figure('creation_empty_p95', 'creation of a task, empty store, p95', quantile(samples.empty, 0.95)),
    figure('creation_full_median', 'creation with 10,000 tasks, median', median(samples.full), most(50)),
    figure('creation_full_p95', 'creation with 10,000 tasks, p95', quantile(samples.full, 0.95)),
    { id: 'creation_ratio', title: 'creation, 10,000 to empty, medians', value: ratio, unit: 'times', target: most(2) },
    figure('start_full', 'start with 10,000 tasks in the store', startMs),
  ];
}

function figure(id: string, title: string, value: number, target?: Figure['target']): Figure {
  return { id, title, value, unit: 'ms', ...(target && { target }) };
}

/** Every command changes something, and the next one begins when it has settled. */
async function timedCreation(url: string, round: number): Promise<number> {
  const args = { target_temperature: 20 + (Math.abs(round) % 2) };
  const begun = performance.now();
  const taskId = await createTask(url, 'set_climate', args);
  const ms = performance.now() - begun;
  await awaitSettled(url, taskId);
  return ms;
}

/** Fills a data folder with copies of a real task, through the store's own door. */
async function fill(dataFolder: string, start: () => Promise<Listening>): Promise<void> {
  const { url, program } = await start();
  await awaitSettled(url, await createTask(url, 'set_climate', { target_temperature: 28 }));
  await program.end('SIGTERM');
  const { tasks } = await openHomeStore({ folder: dataFolder, onNotice: () => undefined });
  const [model] = await tasks.list({ open: false, limit: 1 });
  if (!model) throw new Error('the command to copy did not settle');
  for (let stored = 1; stored < STORED_TASKS; stored += BATCH) {
    const copies = Array.from({ length: Math.min(BATCH, STORED_TASKS - stored) }, () => ({
      ...model,
      taskId: randomBytes(18).toString('base64url'),
    }));
    await Promise.all(copies.map((copy) => tasks.put(copy)));
  }
  await tasks.close();
}

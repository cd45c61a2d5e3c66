import { join } from 'node:path';
import { startGatewayProgram, startListeningProgram, startSimulatorProgram } from '../support/programs.ts';
import { awaitSettled, createTask, rpcRequest } from '../support/rpc.ts';
import { type Figure, median } from './figure.ts';
import { load } from './load.ts';
import { writeQuickHome } from './quick-home.ts';
import type { Effort } from './workspace.ts';

const CONNECTIONS = 10;

/**
 * How many `tasks/get` a second go through the whole stack, and how that compares to a bare echo on the same machine in
 * the same minute: the ratio travels, the rate does not. It asks for a task that
 * has ended, whose answer is worded once; one that is under way costs about a tenth more.
 */
export async function measureThroughput(folder: string, { quick }: Effort): Promise<Figure[]> {
  const simulator = await startSimulatorProgram(0);
  const gateway = await startGatewayProgram({
    config: await writeQuickHome(folder),
    dataFolder: join(folder, 'throughput'),
    port: 0,
    env: { READBACK_SIMULATOR: simulator.url },
  });
  const echo = await startListeningProgram('scripts/bench/echo-server.js');
  const taskId = await createTask(gateway.url, 'set_climate', { target_temperature: 28 });
  await awaitSettled(gateway.url, taskId);
  const request = rpcRequest('tasks/get', { taskId });

  const forMs = quick ? 500 : 3_000;
  const rates = { echo: [] as number[], get: [] as number[] };
  for (let round = -1; round < (quick ? 1 : 3); round += 1) {
    const echoes = await load(echo.url, request, CONNECTIONS, forMs);
    const gets = await load(gateway.url, request, CONNECTIONS, forMs);
    // The first round is for the compilers.
    if (round < 0) continue;
    rates.echo.push(echoes);
    rates.get.push(gets);
  }
  await Promise.all([gateway, echo, simulator].map(({ program }) => program.end('SIGTERM')));

  const [gets, echoes] = [median(rates.get), median(rates.echo)];
  return [
    {
      id: 'gets',
      title: `tasks/get, ${CONNECTIONS} connections`,
      value: gets,
      unit: 'per second',
      target: { at: 'least', value: 3_000 },
    },
    { id: 'echoes', title: 'a bare echo, likewise', value: echoes, unit: 'per second' },
    { id: 'gets_to_echoes', title: 'tasks/get to echo', value: gets / echoes, unit: 'times' },
  ];
}

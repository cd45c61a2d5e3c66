import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../support/programs.ts';
import { rpc, rpcRequest } from '../support/rpc.ts';
import { type Figure, median } from './figure.ts';
import type { Effort } from './workspace.ts';

const KNOCK_MS = 5;

/** How long the demo home takes from its start to its first answers: to `/healthz`, and to a `tools/list`. */
export async function measureStartUp(folder: string, { quick }: Effort): Promise<Figure[]> {
  const health: number[] = [];
  const list: number[] = [];
  for (let round = 0; round < (quick ? 2 : 7); round += 1) {
    const url = `http://127.0.0.1:${await freePort()}`;
    const begun = performance.now();
    const program = startProgram('gateway/cli.js', [
      ...['start', '--port', new URL(url).port, '--simulator-port', '0'],
      ...['--data', join(folder, `start-${round}`)],
    ]);
    await healthy(url, program.exited);
    health.push(performance.now() - begun);
    await rpc(`${url}/mcp`, rpcRequest('tools/list'));
    list.push(performance.now() - begun);
    await program.end('SIGTERM');
  }
  const target = { at: 'most', value: 2_000 } as const;
  return [
    { id: 'start_health', title: 'start to the first answer', value: median(health), unit: 'ms', target },
    { id: 'start_list', title: 'start to the first tools/list', value: median(list), unit: 'ms', target },
  ];
}

/** Knocks until somebody opens. @throws Error where the program has ended instead */
async function healthy(url: string, exited: Promise<unknown>): Promise<void> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  while (!ended) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(KNOCK_MS);
  }
  throw new Error('the gateway ended before it answered');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

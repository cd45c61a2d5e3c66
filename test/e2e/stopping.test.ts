import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ListeningGateway, startGatewayProgram } from '../../scripts/support/programs.ts';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, QUICK_HOME, truth } from '../support/daemon.ts';
import { rawListen } from '../support/raw-listen.ts';
import { rawCall, TASK_CLIENT } from '../support/raw-rpc.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What the gateway promises whoever stops it, in ms. */
const STOP_MS = 5_000;

let daemons: Daemons;
let simulator: Simulator;
let gateway: ListeningGateway;

beforeEach(async () => {
  daemons = new Daemons();
  simulator = await daemons.simulator(0);
  // A verdict must not come before the stop, however slow the machine.
  writeFileSync(daemons.path('home.yaml'), readFileSync(QUICK_HOME, 'utf8').replace('deadline: 2s', 'deadline: 60s'));
  gateway = await start();
});

afterEach(async () => {
  await gateway.program.end();
  await daemons.close();
});

function start(): Promise<ListeningGateway> {
  const env = { READBACK_SIMULATOR: simulator.url };
  return startGatewayProgram({ config: daemons.path('home.yaml'), dataFolder: daemons.path('data'), port: 0, env });
}

/** Ends the gateway as a service manager does. */
async function stop(): Promise<{ code: number | null; tookMs: number }> {
  const began = performance.now();
  const { code } = await gateway.program.end('SIGTERM');
  return { code, tookMs: performance.now() - began };
}

/** A command that the device has received, and neither answers nor acts on. */
async function slowCommand(): Promise<string> {
  simulator.home.arm('ac', 'slow', { by_ms: 60_000 });
  simulator.home.arm('ac', 'ignore');
  const received = truth(simulator, 'command');
  const { body } = await rawCall(gateway.url, 'set_climate', { target_temperature: 26 }, { capabilities: TASK_CLIENT });
  await received;
  return body.result.taskId;
}

describe('SIGTERM', () => {
  it('ends streams with their last word, answers whoever waits, and leaves a slow request to the next start', async () => {
    const taskId = await slowCommand();
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => rawListen(gateway.url, { taskIds: [taskId], toolsListChanged: true })),
    );
    for (const stream of streams)
      await stream.until(({ method }) => method === 'notifications/subscriptions/acknowledged');
    const waiting = rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 60 });
    // Behind it on the same way: once this one is answered, the other has begun to wait.
    await rawCall(gateway.url, 'get_task', { task_id: taskId });

    const stopped = stop();
    for (const stream of streams) {
      const last = (await stream.until((message) => 'result' in message)).at(-1);
      expect(last.result).toMatchObject({ resultType: 'complete' });
      expect(await stream.next()).toBeUndefined();
    }
    expect((await waiting).body.result.structuredContent).toMatchObject({ task_id: taskId, status: 'working' });
    const { code, tookMs } = await stopped;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOP_MS);

    gateway = await start();
    const { body } = await rawCall(gateway.url, 'get_task', { task_id: taskId });
    expect(body.result.structuredContent).toMatchObject({ task_id: taskId, status: 'working' });
    expect(simulator.home.truth('ac').counts['ac']?.commands).toBe(1);
  });

  it('is not held up by a client that does not finish its request, which is no fault of the gateway', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const gone = once(socket, 'close');
    // The gateway says that it goes on before the body comes: the request has arrived.
    socket.write(`POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    const { code, tookMs } = await stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOP_MS);
    await gone;
    expect(gateway.program.stderr()).toBe('');
  });

  it('twice ends at once', async () => {
    await slowCommand();
    process.kill(gateway.program.pid, 'SIGTERM');
    process.kill(gateway.program.pid, 'SIGTERM');
    // The second may come before the first has been looked at, and is then one with it.
    expect([0, 1]).toContain((await gateway.program.exited).code);
  });
});

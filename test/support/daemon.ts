import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Listening, type Program, startGatewayProgram, startProgram } from '../../scripts/support/programs.ts';
import { connectTasksClient, type TasksClient, type TasksClientOptions } from '../../scripts/support/tasks-client.ts';
import type { TruthEntry } from '../../simulator/core/truth.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';

export const QUICK_HOME = fileURLToPath(new URL('../fixtures/quick-home.yaml', import.meta.url));

/** Everything that one end-to-end test starts; `close` ends all of it, whatever became of the test. */
export class Daemons {
  readonly folder = mkdtempSync(join(tmpdir(), 'readback-e2e-'));
  readonly #closers: (() => unknown)[] = [];

  /** A path in the test's own folder. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Lets something be done at the end, once everything that is started after this has ended. */
  atEnd(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  /** The simulator runs in this process, so that a test can wait for what really happens. */
  async simulator(delayMs: number): Promise<Simulator> {
    const simulator = await startSimulator({ delayMs });
    this.#closers.push(() => simulator.close());
    return simulator;
  }

  /** The built gateway on the quick home, on a port that the system chooses. */
  async gateway(simulator: Simulator, dataFolder = this.path('data')): Promise<Listening> {
    const env = { READBACK_SIMULATOR: simulator.url };
    const gateway = await startGatewayProgram({ config: QUICK_HOME, dataFolder, port: 0, env });
    this.#closers.push(() => gateway.program.end());
    return gateway;
  }

  /** The built gateway with this command line. */
  run(...args: string[]): Program {
    const program = startProgram('gateway/cli.js', args);
    this.#closers.push(() => program.end());
    return program;
  }

  /** The official clients; `onQuestion` answers for their person. */
  async client(url: string, onQuestion?: TasksClientOptions['onQuestion']): Promise<TasksClient> {
    const client = await connectTasksClient(url, onQuestion ? { onQuestion } : {});
    // A gateway that is gone by then cannot be asked to cancel anything.
    this.#closers.push(() => client.close().catch(() => undefined));
    return client;
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.reverse()) await closer();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The next thing of this kind that really happens to a simulated device. */
export function truth(simulator: Simulator, type: TruthEntry['type']): Promise<TruthEntry> {
  return new Promise((resolve) => {
    const stop = simulator.home.truthLog.subscribe((entry) => {
      if (entry.type !== type) return;
      stop();
      resolve(entry);
    });
  });
}

/** Commands the quick AC and keeps nothing but the task's id. */
export async function submit({ session }: TasksClient, temperature: number): Promise<string> {
  const execution = await session.callTool('set_climate', { target_temperature: temperature });
  if (execution.kind !== 'task') throw new Error('a task was expected');
  await execution.handoff(() => undefined);
  await execution.result().catch(() => undefined);
  return execution.handle.taskId;
}

/** How a task ends, by the tool that waits for it. */
export function settled(client: TasksClient, taskId: string): Promise<unknown> {
  return stateOf(client, taskId, 30);
}

/** How a task stands. */
export async function stateOf({ client }: TasksClient, taskId: string, waitS = 0): Promise<unknown> {
  const answer = await client.callTool({ name: 'get_task', arguments: { task_id: taskId, wait_s: waitS } });
  return answer.structuredContent;
}

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Listening, startGatewayProgram, startSimulatorProgram } from '../support/programs.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import { connectTasksClient, type TasksClient } from '../support/tasks-client.ts';
import { homeFor } from './home-file.ts';

/** A simulator, a gateway and a client, each talking to the next over real sockets. */
export class Stage {
  readonly delayMs: number;
  readonly #simulator: Listening;
  readonly #startGateway: (port: number) => Promise<Listening>;
  #gateway: Listening;
  #client: TasksClient;

  constructor(parts: {
    delayMs: number;
    simulator: Listening;
    gateway: Listening;
    client: TasksClient;
    startGateway: (port: number) => Promise<Listening>;
  }) {
    this.delayMs = parts.delayMs;
    this.#simulator = parts.simulator;
    this.#gateway = parts.gateway;
    this.#client = parts.client;
    this.#startGateway = parts.startGateway;
  }

  /** The MCP address; it stays the same over a restart. */
  get url(): string {
    return this.#gateway.url;
  }

  get client(): TasksClient {
    return this.#client;
  }

  device(id: string): SimulatedDeviceControl {
    return new SimulatedDeviceControl(this.#simulator.url, id);
  }

  /** Ends the gateway as a power cut would: nothing is closed, nothing is said. */
  async killGateway(): Promise<void> {
    await this.#gateway.program.end('SIGKILL');
  }

  /** Starts it again on the same address and the same data, and connects a new client. */
  async restartGateway(): Promise<void> {
    await this.#client.client.close();
    this.#gateway = await this.#startGateway(Number(new URL(this.url).port));
    this.#client = await connectTasksClient(this.url);
  }

  async close(): Promise<void> {
    await this.#client.close();
    await Promise.all([this.#gateway.program.end('SIGTERM'), this.#simulator.program.end('SIGTERM')]);
  }
}

/**
 * Sets the stage. Its data folder and its programs are gone when this process ends, however it ends.
 * @param delayMs how long the devices take to act
 */
export async function openStage(delayMs: number): Promise<Stage> {
  const simulator = await startSimulatorProgram(delayMs);
  const folder = await mkdtemp(join(tmpdir(), 'readback-replay-'));
  // What ends the programs at the exit was registered before: nobody writes into the folder any more.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = await homeFor(delayMs, folder);
  const startGateway = (port: number) =>
    startGatewayProgram({
      config,
      dataFolder: join(folder, 'data'),
      port,
      env: { READBACK_SIMULATOR: simulator.url },
    });
  const gateway = await startGateway(0);
  const client = await connectTasksClient(gateway.url);
  return new Stage({ delayMs, simulator, gateway, client, startGateway });
}

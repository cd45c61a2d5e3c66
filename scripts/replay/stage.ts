import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type BrokerEar, type Heard, openBrokerEar } from '../support/broker-ear.ts';
import {
  type Listening,
  type ListeningGateway,
  startGatewayProgram,
  startSimulatorProgram,
} from '../support/programs.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import { connectTasksClient, type TasksClient } from '../support/tasks-client.ts';
import { homeFor } from './home-file.ts';
import type { SimulatedDeviceId } from './scenario.ts';

/**
 * A bridge's own habits do not scale with its device: one that repeats what it was told does so within a second and a half,
 * and until then the truth cannot be told from the echo.
 */
const LEAST_MQTT_DELAY_MS = 2_000;

/** How long the devices may take to announce themselves and to say how they stand, in ms, and how often that is looked at. */
const JOIN_MS = 20_000;
const JOIN_LOOK_MS = 100;

const stateSchema = z.object({
  devices: z.array(z.object({ device: z.string(), values: z.record(z.string(), z.unknown()) })),
});

/** A simulator, a gateway and a client, each talking to the next over real sockets. */
export class Stage {
  readonly delayMs: number;
  readonly #simulator: Listening;
  readonly #startGateway: (port: number) => Promise<ListeningGateway>;
  #gateway: ListeningGateway;
  #client: TasksClient;
  /** A simulator with devices that speak MQTT, and what is heard of them; null before they have joined. */
  #mqttSimulator: Listening | null = null;
  #ear: BrokerEar | null = null;

  constructor(parts: {
    delayMs: number;
    simulator: Listening;
    gateway: ListeningGateway;
    client: TasksClient;
    startGateway: (port: number) => Promise<ListeningGateway>;
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

  device(id: SimulatedDeviceId): SimulatedDeviceControl {
    const simulator = isOverHttp(id) ? this.#simulator : this.#mqttSimulator;
    if (!simulator) throw new Error(`${id} has not joined yet`);
    return new SimulatedDeviceControl(simulator.url, id);
  }

  /** How long this device takes to act. */
  delayOf(id: SimulatedDeviceId): number {
    return isOverHttp(id) ? this.delayMs : this.#mqttDelayMs;
  }

  get #mqttDelayMs(): number {
    return Math.max(this.delayMs, LEAST_MQTT_DELAY_MS);
  }

  /**
   * Lets devices that speak MQTT announce themselves on the gateway's broker, and waits until it knows how they stand.
   * @param deviceIds as the gateway calls them
   * @param stateTopics where they say how they stand
   * @throws Error where it does not hear of one
   */
  async joinMqttDevices(deviceIds: readonly string[], stateTopics: readonly string[]): Promise<void> {
    const { brokerUrl } = this.#gateway;
    if (brokerUrl === null) throw new Error('the home has no broker');
    this.#ear = await openBrokerEar(brokerUrl, stateTopics);
    this.#mqttSimulator = await startSimulatorProgram(this.#mqttDelayMs, brokerUrl);
    const until = performance.now() + JOIN_MS;
    while (!(await this.#knows(deviceIds))) {
      if (performance.now() > until) throw new Error(`not every one of ${deviceIds.join(', ')} has been heard of`);
      await sleep(JOIN_LOOK_MS);
    }
  }

  /** What was said on a state topic since then. */
  heard(topic: string | undefined, epochMs: number): readonly Heard[] {
    return (topic !== undefined && this.#ear?.since(topic, epochMs)) || [];
  }

  async #knows(deviceIds: readonly string[]): Promise<boolean> {
    const { structuredContent } = await this.#client.client.callTool({ name: 'get_state', arguments: {} });
    const { devices } = stateSchema.parse(structuredContent);
    return deviceIds.every((id) =>
      devices.some(({ device, values }) => device === id && Object.keys(values).length > 0),
    );
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
    await this.#ear?.close();
    const programs = [this.#gateway, this.#simulator, ...(this.#mqttSimulator ? [this.#mqttSimulator] : [])];
    await Promise.all(programs.map(({ program }) => program.end('SIGTERM')));
  }
}

function isOverHttp(id: SimulatedDeviceId): boolean {
  return id === 'ac' || id === 'fan';
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

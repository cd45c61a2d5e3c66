import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { suffix } from '../../simulator/core/copies.ts';
import { seededRandom } from '../../simulator/core/random.ts';
import { type Broker, startBroker } from '../../simulator/mqtt/broker.ts';
import { allHold, type Finding, tally } from '../support/finding.ts';
import { startGatewayProgram, startTruthSimulator } from '../support/programs.ts';
import { rpc, rpcRequest } from '../support/rpc.ts';
import { readTruth } from '../support/truth.ts';
import { SoakClient } from './client.ts';
import { soakedHome } from './home.ts';
import { judge, type Outage } from './judge.ts';
import { KINDS } from './kinds.ts';
import { type Growth, growth, VitalsWatch, watched } from './vitals.ts';

/** How long, and with which luck. */
export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly said: (line: string) => void;
}

/** What came of it, as `--json` prints it. */
export interface SoakReport {
  readonly seed: number;
  readonly findings: readonly Finding[];
  readonly figures: {
    readonly minutes: number;
    readonly devices: number;
    readonly commands: number;
    readonly faults: number;
    readonly broker_restarts: number;
    readonly outcomes: Readonly<Record<string, number>>;
    readonly heap_mb: Growth;
    readonly rss_mb: Growth;
    readonly handles: Growth;
  };
  /** Where the data lies, where something is to be looked into. */
  readonly kept: string | null;
}

/** Of each of the eight kinds, so that there are at least fifty devices. */
const COPIES = 7;

/** How long the devices take to act, in ms. */
const TIMING = { delayMs: 1_000, jitterMs: 500 } as const;

/** A unit behind a CN105 bridge acts later than the bridge's echo can last. */
const BRIDGED_MS = 1_800;

/** The broker is gone for this long, this often. */
const OUTAGE_MS = 1_500;
const OUTAGE_EVERY_MS = 45_000;

const SAMPLE_MS = 5_000;
const APPEARANCE_MS = 30_000;
const LOOK_AGAIN_MS = 500;

/** A full house under steady commands, with faults at random and a broker that restarts. */
export async function soak({ minutes, seed, said }: SoakOptions): Promise<SoakReport> {
  const folder = await mkdtemp(join(tmpdir(), 'readback-soak-'));
  const truthFile = join(folder, 'truth.jsonl');
  let broker = await startBroker('127.0.0.1', 0);
  const brokerUrl = broker.url;
  const numbers = Array.from({ length: COPIES }, (_, index) => index + 1);
  const delaysMs = Object.fromEntries(numbers.map((number) => [`cn105_heatpump${suffix(number)}`, BRIDGED_MS]));
  const simulator = await startTruthSimulator({ truthFile, seed, copies: COPIES, ...TIMING, delaysMs, brokerUrl });
  const config = join(folder, 'home.yaml');
  await writeFile(config, soakedHome({ copies: COPIES, base: simulator.told.url, broker: brokerUrl }));
  const gateway = await startGatewayProgram({ config, dataFolder: join(folder, 'data'), port: 0, env: watched() });
  const devices = KINDS.length * COPIES;
  await appeared(gateway.url, devices);
  said(`${devices} devices at ${gateway.url}`);

  const random = seededRandom(seed);
  const clients = KINDS.flatMap((kind) => numbers.map((number) => new SoakClient(kind, number, random)));
  const vitals = new VitalsWatch(gateway.program, SAMPLE_MS);
  const until = performance.now() + minutes * 60_000;
  const outages: Outage[] = [];
  const restarts = restartBroker(until, outages, async () => {
    await broker.close();
    await sleep(OUTAGE_MS);
    broker = await startBroker('127.0.0.1', portOf(brokerUrl));
    said(`${clients.reduce((sum, { told }) => sum + told.length, 0)} commands; the broker was gone and is back`);
  });
  await Promise.all([...clients.map((client) => client.use(gateway.url, simulator.told.url, until)), restarts]);
  vitals.stop();
  const exit = await gateway.program.end('SIGTERM');
  await simulator.program.end('SIGTERM');
  await broker.close();

  const told = clients.flatMap((client) => client.told);
  const stopped: Finding = {
    name: 'the gateway lived until it was told to stop, and stopped in order',
    looked: 1,
    violations:
      exit.code === 0 ? [] : [`${exit.signal ?? `exit code ${exit.code}`}: ${gateway.program.stderr().slice(-500)}`],
  };
  const findings = [stopped, ...judge({ told, truth: await readTruth(truthFile), outages, vitals: vitals.samples })];
  const holds = allHold(findings);
  if (holds) await rm(folder, { recursive: true });
  return {
    seed,
    findings,
    figures: {
      minutes,
      devices,
      commands: told.length,
      faults: told.filter(({ fault }) => fault !== null).length,
      broker_restarts: outages.length,
      outcomes: tally(told.map(({ status, result }) => (result?.verdict ? endingOf(result) : status))),
      heap_mb: growth(vitals.samples, 'heapMb'),
      rss_mb: growth(vitals.samples, 'rssMb'),
      handles: growth(vitals.samples, 'handles'),
    },
    kept: holds ? null : folder,
  };
}

async function restartBroker(until: number, outages: Outage[], restart: () => Promise<void>): Promise<void> {
  for (
    let next = performance.now() + OUTAGE_EVERY_MS / 2;
    next < until - OUTAGE_EVERY_MS / 4;
    next += OUTAGE_EVERY_MS
  ) {
    await sleep(next - performance.now());
    const from = Date.now();
    await restart();
    outages.push({ from, to: Date.now() });
  }
}

/** Waits until every device has announced itself and been heard of. @throws Error where they do not */
async function appeared(gateway: string, devices: number): Promise<void> {
  const stateSchema = z.object({ structuredContent: z.object({ devices: z.array(z.unknown()) }) });
  const end = performance.now() + APPEARANCE_MS;
  for (;;) {
    const state = await rpc(gateway, rpcRequest('tools/call', { name: 'get_state', arguments: {} }));
    const there = stateSchema.parse(state).structuredContent.devices.length;
    if (there === devices) return;
    if (performance.now() > end) throw new Error(`only ${there} of ${devices} devices appeared`);
    await sleep(LOOK_AGAIN_MS);
  }
}

function portOf(broker: Broker['url']): number {
  return Number(new URL(broker).port);
}

function endingOf({ verdict, reason }: { verdict: string | null; reason: string | null }): string {
  return reason === null ? String(verdict) : `${verdict}/${reason}`;
}

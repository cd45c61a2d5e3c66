import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { type Actuation, isSettled } from '../../gateway/domain/actuation.ts';
import { openHomeStore } from '../../gateway/store/home-store.ts';
import { allHold, type Finding, tally } from '../support/finding.ts';
import { type GatewaySettings, startGatewayProgram, startTruthSimulator } from '../support/programs.ts';
import { readTruth } from '../support/truth.ts';
import { Clients } from './clients.ts';
import { TARGETS } from './devices.ts';
import { checkInvariants, outcomeOf } from './invariants.ts';
import { liveAndDie, type Place } from './lives.ts';
import { drawPlan } from './plan.ts';
import { Told } from './told.ts';

/** What is done, and with which luck. */
export interface ChaosOptions {
  readonly seed: number;
  readonly kills: number;
  readonly died: (place: Place, count: number) => void;
}

/** What came of it, as `--json` prints it. */
export interface ChaosReport {
  readonly seed: number;
  readonly invariants: readonly Finding[];
  readonly figures: {
    readonly kills: number;
    readonly kills_by_place: Readonly<Record<string, number>>;
    readonly commands: number;
    readonly answers: Readonly<Record<string, number>>;
    readonly tasks: number;
    readonly received: number;
    readonly outcomes: Readonly<Record<string, number>>;
    readonly duration_ms: number;
  };
  /** Where the data lies, where something is to be looked into. */
  readonly kept: string | null;
}

/** What clients follow after the last kill has to end within this time, in ms. */
const LAST_MS = 30_000;
const POLL_MS = 100;

/** Longer than any command of `home.yaml` takes once its turn has come, in ms. */
const ONE_COMMAND_MS = 4_000;

/** Gateways that may be needed until what no client knows of has ended too. */
const MOST_LAST_LIVES = 5;

const PAGE = 1_000;

/** Kills gateways, one after another on the same data, and compares the accounts of what happened. */
export async function chaos({ seed, kills, died }: ChaosOptions): Promise<ChaosReport> {
  const begun = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'readback-chaos-'));
  const truthFile = join(folder, 'truth.jsonl');
  const delaysMs = Object.fromEntries(TARGETS.map(({ simulated, delayMs }) => [simulated, delayMs]));
  const simulator = await startTruthSimulator({ truthFile, seed, delaysMs });
  const settings: GatewaySettings = {
    config: join(dirname(shippedPath('')), 'scripts/chaos/home.yaml'),
    dataFolder: join(folder, 'data'),
    port: await freePort(),
    env: { READBACK_SIMULATOR: simulator.told.url, READBACK_BROKER: simulator.told.broker },
  };
  const clients = new Clients(new Told(), simulator.told.url);
  const places: Place[] = [];
  await liveAndDie(drawPlan(seed, kills), settings, clients, (place, count) => {
    places.push(place);
    died(place, count);
  });
  const records = await letEnd(settings, clients);
  await simulator.program.end('SIGTERM');
  const truth = await readTruth(truthFile);
  const { told } = clients;
  const invariants = checkInvariants({ told, records, truth });
  const holds = allHold(invariants);
  if (holds) await rm(folder, { recursive: true });
  return {
    seed,
    invariants,
    figures: {
      kills,
      kills_by_place: tally(places),
      commands: Object.values(told.answers).reduce((sum, count) => sum + count, 0),
      answers: told.answers,
      tasks: records.length,
      received: truth.receptions.length,
      outcomes: tally(records.map(outcomeOf)),
      duration_ms: Math.round(performance.now() - begun),
    },
    kept: holds ? null : folder,
  };
}

/**
 * More gateways, which nobody kills: every task ends, those too whose ids died with an answer and that only the store can
 * tell of, and clients ask for each of theirs once more.
 * @returns every record of the store
 */
async function letEnd(settings: GatewaySettings, clients: Clients): Promise<Actuation[]> {
  for (let lives = 1; ; lives += 1) {
    const { program, url } = await startGatewayProgram(settings);
    const forever = new AbortController().signal;
    const until = performance.now() + LAST_MS;
    while (clients.told.open.length > 0 && performance.now() < until) {
      await clients.askAgain(url, clients.told.open, forever);
      await sleep(POLL_MS);
    }
    await sleep(ONE_COMMAND_MS);
    await clients.askAgain(url, clients.told.taskIds, forever);
    await program.end('SIGTERM');
    const records = await readRecords(settings.dataFolder);
    if (records.every(isSettled) || lives === MOST_LAST_LIVES) return records;
  }
}

async function readRecords(folder: string): Promise<Actuation[]> {
  const { tasks } = await openHomeStore({ folder });
  try {
    const records: Actuation[] = [];
    for (;;) {
      const after = records.at(-1)?.taskId;
      const page = await tasks.list({ limit: PAGE, ...(after !== undefined && { after }) });
      records.push(...page);
      if (page.length < PAGE) return records;
    }
  } finally {
    await tasks.close();
  }
}

/** A port that nobody has now: every gateway gets the same one, so that clients find it again. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

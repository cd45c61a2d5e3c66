import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type GatewaySettings, launchGatewayProgram, type StartingGateway } from '../support/programs.ts';
import type { Clients } from './clients.ts';
import { COMPACTION_POINTS, type CrashPoint, diedAt, TRAPS_VARIABLE, type Trap, writeTraps } from './crash-points.ts';
import type { Life, Plan } from './plan.ts';

const PRELOAD = pathToFileURL(fileURLToPath(new URL('crash-preload.js', import.meta.url))).href;

/** A gateway that walks into none of its traps is killed this long after it serves, in ms. */
const MISSED_MS = 1_200;

/** Where a gateway died: at a point, by the clock while it started or served, or by the clock because it passed its trap by. */
export type Place = CrashPoint | 'starting' | 'serving' | 'missed';

/**
 * Lives one gateway after another on the same data and the same port, each until it is killed.
 * @param settings where they live; the first one's port may be 0
 * @returns where each of them died
 * @throws Error where one ends in any other way, or does not start
 */
export async function liveAndDie(
  plan: Plan,
  settings: GatewaySettings,
  clients: Clients,
  died: (place: Place, count: number) => void,
): Promise<void> {
  let compactions = 0;
  for (const [index, life] of plan.lives.entries()) {
    const compaction = plan.compactionTraps[compactions];
    const traps = [...(life.death.type === 'trap' ? [life.death.trap] : []), ...(compaction ? [compaction] : [])];
    const place = await liveOnce(life, launchTrapped(settings, traps), clients);
    if ((COMPACTION_POINTS as readonly Place[]).includes(place)) compactions += 1;
    died(place, index + 1);
  }
}

function launchTrapped(settings: GatewaySettings, traps: readonly Trap[]): StartingGateway {
  const options = [process.env.NODE_OPTIONS, `--import=${PRELOAD}`].filter((each) => each !== undefined).join(' ');
  const env = { ...settings.env, NODE_OPTIONS: options, [TRAPS_VARIABLE]: writeTraps(traps) };
  return launchGatewayProgram({ ...settings, env });
}

async function liveOnce(
  { death, commands }: Life,
  { program, served }: StartingGateway,
  clients: Clients,
): Promise<Place> {
  const dead = new AbortController();
  let killed: 'starting' | 'serving' | 'missed' | null = null;
  const kill = async (as: typeof killed, afterMs: number) => {
    if (!(await sleep(afterMs, true, { signal: dead.signal }).catch(() => false))) return;
    killed = as;
    await program.end('SIGKILL');
  };
  const early = death.type === 'timer' && death.since === 'start' ? kill('starting', death.afterMs) : null;
  const busy = served.then(
    async ({ url }) => {
      const late = death.type === 'timer' ? kill('serving', death.afterMs) : kill('missed', MISSED_MS);
      await clients.use(url, commands, dead.signal);
      await late;
    },
    () => undefined,
  );
  const [exit] = await Promise.all([program.exited.finally(() => dead.abort()), early, busy]);
  const place = killed ?? diedAt(program.stderr());
  if (exit.signal === 'SIGKILL' && place !== null) return place;
  throw new Error(`A gateway ended by itself (${exit.signal ?? `code ${exit.code}`}): ${program.stderr().trim()}`);
}

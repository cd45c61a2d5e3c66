import { type Random, seededRandom } from '../../simulator/core/random.ts';
import { COMPACTION_POINTS, EVERYDAY_POINTS, type Trap } from './crash-points.ts';
import { shuffled, TARGETS, type TargetDevice } from './devices.ts';

/** One command that a client will issue. */
export interface PlannedCommand {
  readonly device: TargetDevice;
  /** From the moment the gateway serves, in ms. */
  readonly atMs: number;
  readonly wish: Readonly<Record<string, string | number>>;
  /** Befalls the device's next command. */
  readonly fault: string | null;
  /** How long after it got the task's id the client cancels, in ms; null: it does not. */
  readonly cancelAfterMs: number | null;
}

/** How one gateway dies. */
export type Death =
  | { readonly type: 'trap'; readonly trap: Trap }
  /** Killed from outside. */
  | { readonly type: 'timer'; readonly since: 'start' | 'serving'; readonly afterMs: number };

/** The life of one gateway: what it is asked for, and how it dies. */
export interface Life {
  readonly death: Death;
  readonly commands: readonly PlannedCommand[];
}

/** All that is left to chance, decided beforehand. */
export interface Plan {
  readonly lives: readonly Life[];
  /** A compaction comes when the store wants one: the next of these is set in every life until one has died of it. */
  readonly compactionTraps: readonly Trap[];
}

/** Commands come within this time after the gateway serves, in ms. */
const BUSY_MS = 350;

/** A gateway that is killed by the clock lives at most this long, in ms. */
const LONGEST_MS = 1_000;
const LONGEST_START_MS = 400;

const MOST_COMMANDS = 4;

/** A trap is set at the first passing of its point, or at a later one up to this. */
const MOST_PASSINGS: Readonly<Record<string, number>> = { journal: 7, command: 2, reply: 2 };

const CHANCE = { timer: 0.25, ofStart: 0.3, fault: 0.2, impossible: 0.04, cancel: 0.1 } as const;

/**
 * Draws a plan.
 * @param seed the same one gives the same plan
 * @param kills how many gateways die
 */
export function drawPlan(seed: number, kills: number): Plan {
  const random = seededRandom(seed);
  const wishes = new Map(TARGETS.map((device) => [device, shuffled(device.wishes(), random)]));
  const issued = new Map<TargetDevice, number>();
  const points = endlessly(EVERYDAY_POINTS, random);
  const compactions = endlessly(COMPACTION_POINTS, random);

  const command = (): PlannedCommand => {
    const device = oneOf(TARGETS, random);
    const count = issued.get(device) ?? 0;
    const all = wishes.get(device) ?? [];
    // A wish comes back only when every other has had its turn.
    const next = all[count % all.length];
    const refused = random() < CHANCE.impossible || next === undefined;
    if (!refused) issued.set(device, count + 1);
    return {
      device,
      atMs: whole(BUSY_MS, random),
      wish: refused ? device.impossible : next,
      fault: random() < CHANCE.fault ? oneOf(device.faults, random) : null,
      cancelAfterMs: random() < CHANCE.cancel ? whole(BUSY_MS, random) : null,
    };
  };
  const death = (): Death => {
    if (random() >= CHANCE.timer) {
      const point = points();
      const most = MOST_PASSINGS[point.split('_')[0] ?? ''] ?? 1;
      return { type: 'trap', trap: { point, passing: 1 + whole(most, random) } };
    }
    if (random() < CHANCE.ofStart) return { type: 'timer', since: 'start', afterMs: whole(LONGEST_START_MS, random) };
    return { type: 'timer', since: 'serving', afterMs: whole(LONGEST_MS, random) };
  };
  const lives = Array.from({ length: kills }, () => ({
    death: death(),
    commands: Array.from({ length: 1 + whole(MOST_COMMANDS, random) }, command).sort((a, b) => a.atMs - b.atMs),
  }));
  const compactionTraps = Array.from({ length: kills }, () => ({ point: compactions(), passing: 1 }));
  return { lives, compactionTraps };
}

/** Gives things in turn, in a new order each time round, so that none is left out for long. */
function endlessly<T>(things: readonly T[], random: Random): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = shuffled(things, random);
    return left.pop() as T;
  };
}

function oneOf<T>(things: readonly T[], random: Random): T {
  return things[whole(things.length, random)] as T;
}

/** 0 to one less than `end`. */
function whole(end: number, random: Random): number {
  return Math.floor(random() * end);
}

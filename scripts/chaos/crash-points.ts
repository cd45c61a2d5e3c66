/**
 * Moments at which the gateway can be made to kill itself: `crash-preload.ts` watches for them from inside its process,
 * so that they are exact and the product knows nothing of it.
 */
export const CRASH_POINTS = {
  journal_unwritten: 'before a change is written to the journal',
  journal_half_written: 'when half of a change is in the journal',
  journal_unsynced: 'after a change is written, before it is synced',
  journal_synced: 'after a change is synced, before anybody hears of it',
  journal_unnamed: 'before a new journal gets its name',
  journal_named: 'after a new journal got its name',
  command_unsent: 'with the intent on disk, before the command leaves',
  command_sent: 'after the command left, before the device answers',
  command_answered: 'when the answer to a command arrives, before it is read',
  reply_unsent: 'with the task on disk, before its client gets the id',
  reply_sent: 'after the client got the id',
  snapshot_half_written: 'when half of a snapshot is written',
  snapshot_unnamed: 'when a snapshot is written and synced, before it gets its name',
  snapshot_named: 'after a snapshot got its name, before anything is removed',
  snapshot_swept: 'after the first file that a snapshot replaces is removed',
} as const;

export type CrashPoint = keyof typeof CRASH_POINTS;

/** Those of a compaction: it comes once in several starts, and not when one would like it. */
export const COMPACTION_POINTS = [
  'snapshot_half_written',
  'snapshot_unnamed',
  'snapshot_named',
  'snapshot_swept',
] as const satisfies readonly CrashPoint[];

export const EVERYDAY_POINTS = (Object.keys(CRASH_POINTS) as CrashPoint[]).filter(
  (point) => !(COMPACTION_POINTS as readonly CrashPoint[]).includes(point),
);

/** At the how manieth passing of a point the process ends. */
export interface Trap {
  readonly point: CrashPoint;
  readonly passing: number;
}

/** The environment variable that says where the gateway dies: `journal_synced:3,snapshot_named:1`. */
export const TRAPS_VARIABLE = 'READBACK_CHAOS_TRAPS';

/** The line on standard error with which it goes, before the point's name. */
const LAST_WORDS = 'chaos: died at ';

export function writeTraps(traps: readonly Trap[]): string {
  return traps.map(({ point, passing }) => `${point}:${passing}`).join(',');
}

/** How often each point may still be passed, the last time included. */
export function readTraps(text: string): Map<string, number> {
  const entries = text.split(',').filter((entry) => entry !== '');
  return new Map(entries.map((entry): [string, number] => [entry.split(':')[0] ?? '', Number(entry.split(':')[1])]));
}

export function lastWords(point: CrashPoint): string {
  return `${LAST_WORDS}${point}\n`;
}

/** The point at which a gateway died, by what it left on standard error; null where it was killed from outside. */
export function diedAt(stderr: string): CrashPoint | null {
  const line = stderr.split('\n').find((each) => each.startsWith(LAST_WORDS));
  const point = line?.slice(LAST_WORDS.length);
  return (Object.keys(CRASH_POINTS) as CrashPoint[]).find((known) => known === point) ?? null;
}

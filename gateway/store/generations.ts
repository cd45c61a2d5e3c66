/**
 * The files of a store, by generation. Snapshot *g* is the state before the first change of journal *g*; before journal
 * 1 there is nothing, so it needs no snapshot.
 */
export const FIRST_GENERATION = 1;

export function journalName(generation: number): string {
  return `journal-${digits(generation)}.jsonl`;
}

export function snapshotName(generation: number): string {
  return `snapshot-${digits(generation)}.json`;
}

function digits(generation: number): string {
  return String(generation).padStart(6, '0');
}

/** Files that were being written when the process ended are named so, and are worth nothing. */
export const UNFINISHED = '.tmp';

/** The generations that a folder holds, ascending. */
export interface Generations {
  readonly snapshots: readonly number[];
  readonly journals: readonly number[];
}

export function generationsIn(names: readonly string[]): Generations {
  return {
    snapshots: pick(names, /^snapshot-(\d{6,})\.json$/),
    journals: pick(names, /^journal-(\d{6,})\.jsonl$/),
  };
}

function pick(names: readonly string[], pattern: RegExp): number[] {
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * What a person can go back to when the newest snapshot is damaged, as the end of a message. Journals are kept from the
 * last snapshot but one on, so the way back loses nothing.
 */
export function wayBack({ snapshots, journals }: Generations, damaged: number): string {
  const earlier = snapshots.filter((generation) => generation < damaged).at(-1);
  const from = earlier ?? FIRST_GENERATION;
  const complete = (journals.at(-1) ?? 0) >= damaged && missingFrom(journals, from) === null;
  const backup = earlier === undefined ? journalName(from) : snapshotName(earlier);
  if (!complete && earlier === undefined) return 'There is no backup of it in this folder.';
  if (!complete) return `The backup is ${backup}; journals after it are missing, so it is older.`;
  return `The backup is ${backup}; with the journals beside it, it holds the same records: move the damaged file away and start again.`;
}

/** The first journal that is missing between `from` and the newest, or null. */
export function missingFrom(journals: readonly number[], from: number): number | null {
  const newest = journals.at(-1) ?? from;
  for (let generation = from; generation <= newest; generation++) {
    if (!journals.includes(generation)) return generation;
  }
  return null;
}

import type { Instant } from './time.ts';

/**
 * A moment in the life of the gateway's machine. Ages are counted in the time that the machine was seen to run: a wall
 * clock that jumps by years, or was never set, makes nothing older or younger.
 */
export interface AgeMark {
  readonly boot: string;
  /** On the monotonic clock of that boot. */
  readonly mono: number;
  /** How long the machine had run by then, over all boots since the first mark, in ms. */
  readonly livedMs: number;
}

/** A moment that may lie in an earlier boot. */
export type Moment = Pick<AgeMark, 'boot'> & Pick<Instant, 'mono'>;

/** More are made only by a machine that boots all the time; then the oldest go. */
const MOST_MARKS = 1_000;

/** How long the machine has run by now, in ms. */
export function livedMs(marks: readonly AgeMark[], now: Moment): number {
  const last = marks.at(-1);
  if (!last) return 0;
  return last.livedMs + (last.boot === now.boot ? Math.max(0, now.mono - last.mono) : 0);
}

/**
 * How much the machine has run since a moment, in ms: at least this much. What it ran between a moment and the next mark,
 * or between the last mark of a boot and its end, is not counted. A moment of a boot without marks is taken to be as old as the oldest mark.
 */
export function ageMs(marks: readonly AgeMark[], moment: Moment, now: Moment): number {
  const lived = livedMs(marks, now);
  const sameBoot = marks.flatMap((mark, place) => (mark.boot === moment.boot ? [place] : []));
  const last = sameBoot.at(-1);
  if (last === undefined) return lived - (marks[0]?.livedMs ?? lived);
  const next = sameBoot.find((place) => (marks[place]?.mono ?? 0) >= moment.mono) ?? last + 1;
  return lived - (marks[next]?.livedMs ?? lived);
}

/**
 * The marks with one for this moment, if the last is of another boot or further back than `everyMs`; without those that
 * tell ages above `upToMs` apart. The same array where nothing is due.
 */
export function marked(marks: readonly AgeMark[], now: Moment, everyMs: number, upToMs: number): readonly AgeMark[] {
  const last = marks.at(-1);
  if (last?.boot === now.boot && now.mono - last.mono < everyMs) return marks;
  const lived = livedMs(marks, now);
  const young = marks.findIndex((mark) => lived - mark.livedMs < upToMs);
  // One that is older stays: it tells what is.
  const from = young < 0 ? marks.length - 1 : young - 1;
  const kept = [...marks.slice(Math.max(0, from)), { boot: now.boot, mono: now.mono, livedMs: lived }];
  return kept.slice(-MOST_MARKS);
}

import type { FieldTrack } from './actuation.ts';
import { isWanted } from './track.ts';

/** Actuations remembered of a field: enough to say how long it usually takes. */
const MEMORY = 8;

/** Reads round the expected moment are at least this far apart, in ms: closer ones tell nothing that anybody waits for. */
const CLOSEST_MS = 60;

/** A span is looked through in about this many reads. */
const READS_PER_SPAN = 5;

/** Timers and requests are late by a little: a read this close to its planned time, in ms, is the planned one. */
const SLACK_MS = 30;

/** Part of the way by which the first close read moves towards an actuation that came later. */
const FOLLOW = 0.3;

/** Between which two moments after the send a field took its wanted value: unseen at `afterMs`, seen at `byMs`. */
export interface Sighting {
  readonly afterMs: number;
  readonly byMs: number;
}

/**
 * How long a field of a device takes to act. The first close read is kept where it just misses the actuation: only then
 * does the next one tell the moment. All times in ms after the send.
 */
export interface Habit {
  /** When to begin to look closely. */
  readonly fromMs: number;
  /** By how much to begin earlier if that turns out to be too late. */
  readonly shiftMs: number;
  /** How long after `fromMs` the actuation usually shows. */
  readonly spanMs: number;
  /** When it was first seen, the latest times; oldest first. */
  readonly seenMs: readonly number[];
}

/** When to look closely, in ms after the send. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

/** What a verified field tells about how long it takes; null where it was there before, or was never read in between. */
export function sightingOf(track: FieldTrack): Sighting | null {
  const first = track.runs.findIndex((run) => isWanted(track, run.value));
  const seen = track.runs[first];
  if (!track.sentAt || !seen || track.before === null || isWanted(track, track.before)) return null;
  const unseen = track.runs[first - 1]?.to.mono ?? track.sentAt.mono;
  return { afterMs: unseen - track.sentAt.mono, byMs: seen.from.mono - track.sentAt.mono };
}

/** What is known of a field after one more actuation. */
export function learn(habit: Habit | undefined, sighting: Sighting): Habit {
  const { afterMs, byMs } = sighting;
  const seenMs = [...(habit?.seenMs ?? []), byMs].slice(-MEMORY);
  if (!habit || byMs < habit.fromMs - SLACK_MS) {
    const half = (byMs - afterMs) / 2;
    return { fromMs: afterMs + half, shiftMs: half, spanMs: half, seenMs };
  }
  const { fromMs, shiftMs, spanMs } = habit;
  if (byMs <= fromMs + SLACK_MS) {
    // Seen at the first close read: it acted some time before. Each miss reaches back further than the last.
    return { fromMs: Math.max(fromMs - shiftMs, fromMs / 2), shiftMs: 2 * shiftMs, spanMs, seenMs };
  }
  return {
    fromMs: fromMs + FOLLOW * Math.max(0, afterMs - fromMs),
    shiftMs: CLOSEST_MS,
    spanMs: (spanMs + byMs - fromMs) / 2,
    seenMs,
  };
}

/** How long it usually takes, in ms: the median of what was seen. */
export function usualMs({ seenMs }: Habit): number {
  return seenMs.toSorted((a, b) => a - b)[Math.floor(seenMs.length / 2)] ?? 0;
}

/** When the field is to be looked at closely next time. */
export function windowOf({ fromMs, spanMs }: Habit): Window {
  return { fromMs, toMs: fromMs + 2 * spanMs, stepMs: Math.max(CLOSEST_MS, spanMs / READS_PER_SPAN) };
}

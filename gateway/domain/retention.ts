import type { Actuation } from './actuation.ts';
import { type AgeMark, ageMs, type Moment } from './age.ts';
import type { HistoryBounds } from './history.ts';

/** How long settled commands can be asked for as tasks, and what is kept of them afterwards. */
export interface Retention {
  /** In the time that the machine runs. */
  readonly keepMs: number;
  /** Beyond this many tasks the oldest settled ones go earlier. */
  readonly keepAtMost: number;
  readonly history: HistoryBounds;
}

/** What is known of time when tasks are looked at. */
export interface Retained {
  readonly marks: readonly AgeMark[];
  readonly now: Moment;
  /** When this run of the gateway began, on the monotonic clock. */
  readonly startedMono: number;
}

/**
 * Whether a task may leave the store at all: it has settled, can have been asked for its lifetime again, and its values
 * are no longer watched. What settled in an earlier boot has this time from the start of the gateway on.
 */
export function mayLeave({ outcome, boot, ttlMs, rules }: Actuation, { now, startedMono }: Retained): boolean {
  if (!outcome) return false;
  const since = boot === now.boot ? outcome.at.mono : startedMono;
  return now.mono - since >= Math.max(ttlMs, rules.watchMs);
}

/** Whether a settled task has been kept for as long as it should be. */
export function isOld({ outcome, boot }: Actuation, keepMs: number, { marks, now }: Retained): boolean {
  return outcome !== null && ageMs(marks, { boot, mono: outcome.at.mono }, now) >= keepMs;
}

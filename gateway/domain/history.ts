import type { Actuation } from './actuation.ts';
import type { Drifted } from './drift.ts';

/** A settled command and what happened after its verdict, as it is kept for people to look back on. */
export interface PastTask {
  readonly actuation: Actuation;
  /** Oldest first. */
  readonly aftermath: readonly Drifted[];
}

/** How much history is kept; what is older goes first, a whole day at a time. */
export interface HistoryBounds {
  /** At most this many days on which something was commanded. */
  readonly days: number;
  readonly bytes: number;
}

/**
 * Settled commands that have left the task store, by the day of their making. For people alone: no protocol asks here,
 * and nothing that the gateway decides depends on it. Rejects with `StoreError` where the disk fails.
 */
export interface History {
  /** Newest first, as `2026-11-30` (UTC). */
  days(): Promise<readonly string[]>;
  /** The commands of one day, each once, in the order in which they came here; empty for a day that is not there. */
  read(day: string): Promise<readonly PastTask[]>;
  /** Keeps these. Resolves once they would survive a power cut. */
  append(tasks: readonly PastTask[]): Promise<void>;
  /** Forgets the oldest days until the rest is within bounds. @returns those that went */
  trim(bounds: HistoryBounds): Promise<readonly string[]>;
}

const DAY_MS = 86_400_000;

/**
 * The day (UTC) under which a command is kept: that of its making, or of its end where the clock was not set before.
 * Where it never was, the day is what that clock said.
 */
export function dayOf(actuation: Actuation): string {
  return dayName(dayNumber(actuation));
}

/** The same, counted from 1970: quick to compare where many are gone through. */
export function dayNumber({ createdAt, outcome }: Actuation): number {
  const at = createdAt.clock === 'unset' && outcome && outcome.at.clock !== 'unset' ? outcome.at : createdAt;
  return Math.floor(at.wall / DAY_MS);
}

export function dayName(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** NaN for what is no day. */
export function numberOfDay(name: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(name) ? Date.parse(name) / DAY_MS : Number.NaN;
}

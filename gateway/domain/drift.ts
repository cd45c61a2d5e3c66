import type { Actuation } from './actuation.ts';
import type { Comparison } from './field.ts';
import type { Reading } from './reading.ts';
import type { Instant } from './time.ts';
import { equal, type Value } from './value.ts';

/** A verified value that changed later, unasked. An event of its own: the verdict stays what it was. */
export interface Drifted {
  readonly type: 'drifted';
  readonly taskId: string;
  readonly deviceId: string;
  readonly field: string;
  /** What had been verified. */
  readonly from: Value;
  readonly to: Value;
  readonly at: Instant;
}

/** What happened to a task after its verdict, oldest first. */
export interface Aftermath {
  readonly taskId: string;
  readonly events: readonly Drifted[];
}

/** The fields of one verified command that are watched, each until it drifts or a newer command takes it over. */
export interface Watch {
  readonly taskId: string;
  readonly deviceId: string;
  /** On the monotonic clock. */
  readonly until: number;
  readonly fields: readonly { readonly field: string; readonly compare: Comparison; readonly value: Value }[];
}

/** What is to be watched of a command that settled; null where nothing was verified or the device is not watched. */
export function watchOf(actuation: Actuation): Watch | null {
  const { outcome, rules } = actuation;
  if (outcome?.type !== 'verdict' || rules.watchMs <= 0) return null;
  const fields = actuation.fields
    .filter((track) => track.ruling?.verdict === 'verified')
    .map(({ field, compare, sent }) => ({ field, compare, value: sent }));
  if (fields.length === 0) return null;
  return { taskId: actuation.taskId, deviceId: actuation.deviceId, until: outcome.at.mono + rules.watchMs, fields };
}

/** The watched fields that a message shows to have changed. What does not count as a reading is no drift either. */
export function driftsIn(watch: Watch, reading: Reading): Drifted[] {
  if (reading.retained || reading.at.mono > watch.until) return [];
  return watch.fields.flatMap(({ field, compare, value }) => {
    const now = reading.values[field];
    if (now === undefined || now === null || reading.moving[field] || equal(compare, value, now)) return [];
    const { taskId, deviceId } = watch;
    return [{ type: 'drifted' as const, taskId, deviceId, field, from: value, to: now, at: reading.at }];
  });
}

/** A watch without some of its fields; null where none is left. */
export function unwatch(watch: Watch, fields: readonly string[]): Watch | null {
  const left = watch.fields.filter(({ field }) => !fields.includes(field));
  return left.length === 0 ? null : { ...watch, fields: left };
}

import { type Actuation, type Approval, evidenceOf, type FieldTrack, lastRun } from './actuation.ts';
import { clockMark, iso } from './time.ts';
import { guardChanged } from './track.ts';
import { equal, type Value } from './value.ts';
import type { Evidence, FieldVerdict, Reason, Verdict } from './verdict.ts';

/** What a result says of one field. Values are in the field's unit. */
export interface FieldResult {
  readonly requested?: Value;
  readonly sent?: Value;
  readonly before: Value | null;
  /** Made from counted readings alone; null where none counted. */
  readonly observed: Value | null;
  readonly observed_at: string | null;
  /** There where the wall clock was not set yet, so that `observed_at` is no date. */
  readonly clock?: 'unset';
  readonly evidence: Evidence | null;
  readonly verdict: FieldVerdict | null;
  readonly reason: Reason | null;
  /** The value was there before the command already. */
  readonly already?: true;
}

/** The structured content of every answer about a command (design.md, section 3). */
export interface ActuationResult {
  readonly device: string;
  readonly verdict: Verdict | null;
  readonly reason: Reason | null;
  readonly fields: Readonly<Record<string, FieldResult>>;
  /** From the send (or the creation, where nothing was sent) to the outcome, or to the latest change. */
  readonly elapsed_ms: number;
  /** Direct reads since the send. */
  readonly reads: number;
  readonly already?: true;
  /** The answer to the question that had to be answered first. */
  readonly approval?: ApprovalResult;
}

/** Who answered a question, through which door, and when. */
export interface ApprovalResult {
  readonly approved: boolean;
  readonly by: string;
  readonly through: string;
  readonly at: string;
  /** There where the wall clock was not set yet, so that `at` is no date. */
  readonly clock?: 'unset';
}

/** A command as structured content; `verdict` is null while it is open, cancelled or failed. */
export function result(actuation: Actuation): ActuationResult {
  const { outcome } = actuation;
  const verdict = outcome?.type === 'verdict' ? outcome : null;
  const end = outcome?.at ?? actuation.updatedAt;
  const guards = actuation.guards.filter(guardChanged);
  const already = actuation.fields.length > 0 && actuation.fields.every(isAlready);
  return {
    device: actuation.deviceId,
    verdict: verdict?.verdict ?? null,
    reason: verdict?.reason ?? null,
    fields: Object.fromEntries([
      ...actuation.fields.map((track) => [track.field, fieldResult(track)] as const),
      ...guards.map((guard) => [guard.field, guardResult(guard)] as const),
    ]),
    elapsed_ms: Math.round(end.mono - (actuation.sentAt ?? actuation.createdAt).mono),
    reads: actuation.reads,
    ...(already ? { already: true as const } : {}),
    ...(actuation.approval?.answer ? { approval: approvalResult(actuation.approval.answer) } : {}),
  };
}

function approvalResult({ approved, by, through, at }: NonNullable<Approval['answer']>): ApprovalResult {
  return { approved, by, through, at: iso(at), ...clockMark(at) };
}

function fieldResult(track: FieldTrack): FieldResult {
  const last = lastRun(track);
  return {
    requested: track.requested,
    sent: track.sent,
    before: track.before,
    observed: last?.value ?? null,
    observed_at: last ? iso(last.to) : null,
    ...clockMark(last?.to),
    evidence: evidenceOf(track),
    verdict: track.ruling?.verdict ?? null,
    reason: track.ruling?.reason ?? null,
    ...(isAlready(track) ? { already: true as const } : {}),
  };
}

function guardResult(guard: Actuation['guards'][number]): FieldResult {
  return {
    before: guard.before,
    observed: guard.observed,
    observed_at: guard.observedAt ? iso(guard.observedAt) : null,
    ...clockMark(guard.observedAt),
    evidence: 3,
    verdict: 'mismatch',
    reason: 'side_effect',
  };
}

/** Whether the wanted value was known to be there before the command. */
export function isAlready(track: FieldTrack): boolean {
  return track.beforeFrom === 'known' && track.before !== null && equal(track.compare, track.before, track.sent);
}

import { type Actuation, type Approval, evidenceOf, type FieldTrack, lastRun } from '../domain/actuation.ts';
import { sentence } from '../domain/sentence.ts';
import { type Instant, iso } from '../domain/time.ts';
import { isOwn, type Reader } from './reader.ts';
import { when } from './when.ts';
import type { CommandFieldWire, CommandWire, QuestionWire } from './wire.ts';

/** What is told of a command beside its record. */
export interface Beside {
  readonly usualMs: number | null;
  /** How often a value that was verified changed later. */
  readonly drifts: number;
  readonly now: Instant;
}

/** A command as the page lists it, for one reader. */
export function commandWire(actuation: Actuation, reader: Reader, { usualMs, drifts, now }: Beside): CommandWire {
  const { outcome, sentAt, approval } = actuation;
  const verdict = outcome?.type === 'verdict' ? outcome : null;
  return {
    id: actuation.taskId,
    device: actuation.deviceId,
    device_name: actuation.deviceName,
    kind: actuation.kind,
    principal: actuation.principal,
    mine: isOwn(reader, actuation),
    phase: actuation.phase,
    verdict: verdict?.verdict ?? null,
    reason: verdict?.reason ?? null,
    outcome: outcome?.type ?? null,
    message: sentence(actuation),
    created_at: iso(actuation.createdAt),
    updated_at: iso(actuation.updatedAt),
    sent_at: sentAt && iso(sentAt),
    ended_at: outcome && iso(outcome.at),
    deadline_at: deadlineAt(actuation, now),
    usual_ms: usualMs,
    reads: actuation.reads,
    fields: actuation.fields.map(fieldWire),
    question: approval && questionWire(approval, actuation.phase === 'awaiting_approval', now),
    drifts,
  };
}

/**
 * The deadline is on the monotonic clock. That of an open command is of this boot; for one that has ended, what both clocks
 * said at the send tells it in the words of the other.
 */
function deadlineAt({ sentAt, deadline, outcome }: Actuation, now: Instant): string | null {
  if (!sentAt || deadline === null) return null;
  if (!outcome) return when({ mono: deadline }, now);
  return new Date(sentAt.wall + deadline - sentAt.mono).toISOString();
}

function fieldWire(track: FieldTrack): CommandFieldWire {
  return {
    name: track.field,
    requested: track.requested,
    sent: track.sent,
    before: track.before,
    observed: lastRun(track)?.value ?? null,
    evidence: evidenceOf(track),
    verdict: track.ruling?.verdict ?? null,
    reason: track.ruling?.reason ?? null,
    ...(track.unit !== null && { unit: track.unit }),
    ...(track.step !== null && { step: track.step }),
  };
}

/** One that still waits is of this boot. */
function questionWire({ question, askedAt, ttlMs, answer }: Approval, isWaiting: boolean, now: Instant): QuestionWire {
  return {
    text: question,
    asked_at: iso(askedAt),
    until: isWaiting ? when({ mono: askedAt.mono + ttlMs }, now) : new Date(askedAt.wall + ttlMs).toISOString(),
    answer: answer && { approved: answer.approved, by: answer.by, through: answer.through, at: iso(answer.at) },
  };
}

import type { Actuation, FieldTrack } from './actuation.ts';
import type { VerifyRules } from './device.ts';
import type { Effect, Step } from './events.ts';
import { judge } from './judge.ts';
import type { Instant } from './time.ts';
import { guardChanged, hasSpoken } from './track.ts';
import { equal, type Value } from './value.ts';
import { type Ruling, worst } from './verdict.ts';

/** When an unfinished command runs out of its lifetime, on `mono`. A wait for a person does not count into it. */
export function expiresAt(actuation: Actuation): number {
  const { approval } = actuation;
  if (actuation.phase === 'awaiting_approval' && approval) return approval.askedAt.mono + approval.ttlMs;
  return (approval?.answer?.at ?? actuation.createdAt).mono + actuation.ttlMs;
}

/**
 * Looks at an open command at one moment: settles it, or says what to do and when to look again.
 * @param previous the command before the present event, by which a new doubt is told from one already asked about
 */
export function conclude(actuation: Actuation, previous: Actuation, at: Instant): Step {
  if (at.mono >= expiresAt(actuation)) return { actuation: expire(actuation, at), effects: [] };
  if (actuation.phase === 'sending' && !actuation.sentAt) return concludeSending(actuation, at);
  if (actuation.phase === 'verifying') return concludeVerifying(actuation, previous, at);
  return { actuation, effects: [{ type: 'wake', mono: expiresAt(actuation) }] };
}

function expire(actuation: Actuation, at: Instant): Actuation {
  if (actuation.phase === 'awaiting_approval') {
    const outcome = { type: 'verdict', verdict: 'declined', reason: 'approval_expired', at } as const;
    return { ...actuation, phase: 'settled', outcome };
  }
  const seconds = Math.round(actuation.ttlMs / 1000);
  const message = `the command did not settle within its lifetime of ${seconds} s`;
  return { ...actuation, phase: 'settled', outcome: { type: 'failed', fault: 'ttl', message, at } };
}

/** Nothing has left yet: a refusal of every request ends it, otherwise the send is under way. */
function concludeSending(actuation: Actuation, at: Instant): Step {
  const rulings = actuation.fields.map((track) => track.ruling);
  if (rulings.every((ruling): ruling is Ruling => ruling !== null)) {
    return { actuation: settleWith(actuation, rulings, at), effects: [] };
  }
  return { actuation, effects: [{ type: 'wake', mono: expiresAt(actuation) }] };
}

function concludeVerifying(actuation: Actuation, previous: Actuation, at: Instant): Step {
  const now = at.mono;
  const judgements = actuation.fields.map((track) => judge(actuation, track, now));
  const disturbed = actuation.guards.some(guardChanged);
  const pastDeadline = now >= (actuation.deadline ?? Number.POSITIVE_INFINITY);
  const rulings = judgements.map((judgement) => judgement.ruling);
  if (rulings.every((ruling): ruling is Ruling => ruling !== null)) {
    const failed = rulings.some((ruling) => ruling.verdict !== 'verified');
    if (!disturbed || pastDeadline || failed) return { actuation: settleWith(actuation, rulings, at), effects: [] };
  }
  const ruled = keepFinal(actuation, judgements);
  const wakes = judgements.map((judgement) => (judgement.ruling ? (actuation.deadline ?? now) : judgement.wake));
  // The deadline has passed for a good field that waits for another one's settle time: that one's wake-up is to come.
  const next = Math.min(...wakes.filter((wake) => wake > now), expiresAt(actuation));
  return withEffects(ruled, previous, now, next);
}

function keepFinal(actuation: Actuation, judgements: readonly ReturnType<typeof judge>[]): Actuation {
  let changed = false;
  const fields = actuation.fields.map((track, index) => {
    const judgement = judgements[index];
    if (track.ruling || !judgement?.ruling || !judgement.final) return track;
    changed = true;
    return { ...track, ruling: judgement.ruling };
  });
  return changed ? { ...actuation, fields } : actuation;
}

function settleWith(actuation: Actuation, rulings: readonly Ruling[], at: Instant): Actuation {
  const fields = actuation.fields.map((track, index) => ({ ...track, ruling: rulings[index] ?? track.ruling }));
  const sideEffect: Ruling[] = actuation.guards.some(guardChanged)
    ? [{ verdict: 'mismatch', reason: 'side_effect' }]
    : [];
  const overall = worst([...rulings, ...sideEffect]);
  const outcome = { type: 'verdict', verdict: overall?.verdict ?? 'unconfirmed', reason: overall?.reason ?? null, at };
  return { ...actuation, fields, phase: 'settled', outcome: outcome as NonNullable<Actuation['outcome']> };
}

/** Questions and repetitions that are due, and when to look again. */
function withEffects(actuation: Actuation, previous: Actuation, now: number, wake: number): Step {
  const half = (actuation.sentAt?.mono ?? now) + actuation.rules.deadlineMs / 2;
  const effects: Effect[] = [];
  const doubted = actuation.fields.filter(
    (track, index) => track.doubtAt && track.doubtAt !== previous.fields[index]?.doubtAt,
  );
  if (doubted.length > 0) effects.push({ type: 'ask', fields: names(doubted) });
  const silent = actuation.asked ? [] : actuation.fields.filter((track) => isSilent(track, actuation.rules));
  const repeatAt = nextRepeat(actuation);
  let next = actuation;
  if (silent.length > 0 && now >= half) {
    effects.push({ type: 'ask', fields: names(silent) });
    next = { ...next, asked: true };
  }
  if (repeatAt !== null && now >= repeatAt) {
    const unmoved = actuation.fields.filter((track) => !track.ruling);
    effects.push({ type: 'send', wants: wantsOf(unmoved) });
    next = { ...next, sends: next.sends + 1 };
  }
  const times = [wake, ...(silent.length > 0 ? [half] : []), ...(repeatAt === null ? [] : [repeatAt])];
  const mono = Math.min(...times.filter((time) => time > now));
  if (Number.isFinite(mono)) effects.push({ type: 'wake', mono });
  return { actuation: next, effects };
}

/** A field that speaks by itself but has said nothing that counts; one that is polled is asked all the time. */
function isSilent(track: FieldTrack, rules: VerifyRules): boolean {
  return !track.ruling && track.readback.askable && track.readback.push && !hasSpoken(track, rules);
}

/**
 * When the command may be sent once more: first at half the deadline, then at half of what remains, only while nothing
 * has moved and only where the profile says `resend`.
 */
function nextRepeat(actuation: Actuation): number | null {
  const { rules, sentAt, sends } = actuation;
  if (!sentAt || sends === 0 || sends > rules.resend) return null;
  const still = actuation.fields.every((track) => track.ruling !== null || isUnmoved(track));
  if (!still || actuation.fields.every((track) => track.ruling !== null)) return null;
  return sentAt.mono + rules.deadlineMs * (1 - 0.5 ** sends);
}

function isUnmoved(track: FieldTrack): boolean {
  if (track.send === 'open' || track.wasMoving || track.sawWanted) return false;
  return track.runs.every((run) => track.before === null || equal(track.compare, track.before, run.value as Value));
}

/** What the device is to be told, in our words. */
export function wantsOf(tracks: readonly FieldTrack[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(tracks.map((track) => [track.field, track.sent]));
}

function names(tracks: readonly FieldTrack[]): string[] {
  return tracks.map((track) => track.field);
}

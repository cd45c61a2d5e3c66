import type { Actuation, Outcome } from './actuation.ts';
import { conclude, wantsOf } from './conclude.ts';
import type { ActuationEvent, Effect, Step } from './events.ts';
import { noteIncident } from './incidents.ts';
import { restored } from './restored.ts';
import { resume } from './resume.ts';
import { onSendReport } from './sending.ts';
import type { Verdict } from './verdict.ts';
import { onDeviceReport } from './verifying.ts';

/**
 * The heart: what a command becomes when something happens to it, and what has to be done about it. Pure: it knows no
 * clock, no socket and no file. A settled command never changes again.
 */
export function step(actuation: Actuation, event: ActuationEvent): Step {
  if (actuation.outcome) return { actuation, effects: [] };
  const next = noteIncident(actuation, apply(actuation, event), event);
  const done = next.outcome ? { actuation: next, effects: [] } : conclude(next, actuation, event.at);
  const send: Effect[] =
    event.type === 'started' && done.actuation.phase === 'sending'
      ? [{ type: 'send', wants: wantsOf(next.fields) }]
      : [];
  // A step that changed nothing keeps the very object, so that nobody stores or announces it again.
  const changed = done.actuation !== actuation;
  if (!changed) return done;
  return { actuation: { ...done.actuation, updatedAt: event.at }, effects: [...send, ...done.effects] };
}

function apply(actuation: Actuation, event: ActuationEvent): Actuation {
  switch (event.type) {
    case 'approved':
    case 'declined':
      return onAnswer(actuation, event);
    case 'started':
      return onStarted(actuation, event);
    case 'send':
      return onSendReport(actuation, event.report, event.at);
    case 'device':
      return onDeviceReport(actuation, event.report);
    case 'read_failed':
      if (!actuation.sentAt) return actuation;
      return { ...actuation, reads: actuation.reads + 1, failedReads: actuation.failedReads + 1 };
    case 'tick':
      return actuation;
    case 'cancelled':
      return settle(actuation, { type: 'cancelled', sent: !event.held && mayHaveLeft(actuation), at: event.at });
    case 'superseded':
      return superseded(actuation, event);
    case 'restarted':
      return resume(actuation, event);
    case 'restored':
      return restored(actuation, event);
    case 'failed':
      return settle(actuation, { type: 'failed', fault: 'internal', message: event.message, at: event.at });
  }
}

type AnswerEvent = Extract<ActuationEvent, { type: 'approved' | 'declined' }>;

/** The first answer wins; one that comes when nothing is asked changes nothing. */
function onAnswer(actuation: Actuation, event: AnswerEvent): Actuation {
  const { approval, phase } = actuation;
  if (phase !== 'awaiting_approval' || !approval || approval.answer) return actuation;
  const approved = event.type === 'approved';
  const answer = { approved, by: event.by, through: event.through, at: event.at };
  const answered: Actuation = { ...actuation, approval: { ...approval, answer } };
  if (approved) return { ...answered, phase: 'queued' };
  return settle(answered, { type: 'verdict', verdict: 'declined', reason: 'approval_denied', at: event.at });
}

function onStarted(actuation: Actuation, event: Extract<ActuationEvent, { type: 'started' }>): Actuation {
  if (actuation.phase !== 'queued') return actuation;
  const fields = actuation.fields.map((track) => {
    const before = event.before[track.field] ?? track.before;
    return { ...track, before, beforeFrom: before === null ? null : ('known' as const) };
  });
  const guards = actuation.guards.map((guard) => ({ ...guard, before: event.before[guard.field] ?? guard.before }));
  const looked: Actuation = { ...actuation, fields, guards };
  if (event.refusal) return unsent({ ...looked, refusal: event.refusal }, 'rejected', event.refusal.reason, event);
  if (event.offline) return unsent(looked, 'unreachable', 'offline', event);
  return { ...looked, phase: 'sending', sends: 1 };
}

/** Ends a command of which nothing was sent. */
function unsent(
  actuation: Actuation,
  verdict: 'rejected' | 'unreachable',
  reason: NonNullable<Extract<Outcome, { type: 'verdict' }>['reason']>,
  event: ActuationEvent,
): Actuation {
  const fields = actuation.fields.map((track) => ({ ...track, ruling: { verdict, reason } }));
  return settle({ ...actuation, fields }, { type: 'verdict', verdict, reason, at: event.at });
}

function superseded(actuation: Actuation, event: Extract<ActuationEvent, { type: 'superseded' }>): Actuation {
  const verdict: Verdict & 'superseded' = 'superseded';
  const fields = actuation.fields.map((track) => ({ ...track, ruling: { verdict, reason: 'newer_command' as const } }));
  const outcome: Outcome = { type: 'verdict', verdict, reason: 'newer_command', at: event.at };
  return settle({ ...actuation, fields, supersededBy: event.by }, outcome);
}

/** Whether the device may have received the command: from the recorded intent on, nobody can rule it out. */
export function mayHaveLeft(actuation: Actuation): boolean {
  return actuation.sentAt !== null || actuation.phase === 'sending';
}

function settle(actuation: Actuation, outcome: Outcome): Actuation {
  return { ...actuation, phase: 'settled', outcome };
}

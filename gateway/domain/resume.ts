import { type Actuation, type FieldTrack, lastRun } from './actuation.ts';
import type { ActuationEvent } from './events.ts';
import type { Instant } from './time.ts';
import { isWanted } from './track.ts';

/**
 * What a restart means for an open command. It is never sent again: a crash between the intent and the answer leaves
 * open whether the device received it, so readings decide. It gets at least half of its deadline again, because nobody
 * was looking while the gateway was down.
 */
export function resume(actuation: Actuation, event: Extract<ActuationEvent, { type: 'restarted' }>): Actuation {
  const here = onBoot(actuation, event);
  const restarted = { ...here, restarts: here.restarts + 1 };
  if (here.phase !== 'sending' && here.phase !== 'verifying') return restarted;
  const sent = takenUp(restarted);
  const { deadlineMs } = sent.rules;
  const deadline = Math.max(sent.deadline ?? sent.sentAt.mono + deadlineMs, event.at.mono + deadlineMs / 2);
  return { ...sent, deadline, offlineSince: null, asked: false, failedReads: 0 };
}

/** A command that may have left, as one that has: the crash may have fallen between the intent and the answer. */
export function takenUp(here: Actuation): Actuation & { readonly sentAt: Instant } {
  // The intent was recorded when the record last changed before anything left.
  const intent = here.sentAt ?? here.updatedAt;
  const uncertain = here.fields.some((track) => !track.ruling && (track.send === 'open' || track.send === 'unsent'));
  return {
    ...here,
    phase: 'verifying',
    sentAt: intent,
    sendUncertain: here.sendUncertain || uncertain,
    fields: here.fields.map((track) => resumeTrack(track, intent)),
  };
}

function resumeTrack(track: FieldTrack, intent: Instant): FieldTrack {
  const answered = track.send === 'accepted' || track.send === 'refused';
  const last = lastRun(track);
  return {
    ...track,
    send: answered || track.ruling ? track.send : 'lost',
    sentAt: track.sentAt ?? intent,
    lastSentAt: track.lastSentAt ?? intent,
    // A wanted value in doubt has to be shown again: the answer to the question may have come while nobody was listening.
    runs: track.doubtAt && last && isWanted(track, last.value) ? track.runs.slice(0, -1) : track.runs,
    doubtAt: null,
  };
}

/** A record on this boot's monotonic clock. */
export function onBoot(actuation: Actuation, event: { readonly at: Instant; readonly boot: string }): Actuation {
  return event.boot === actuation.boot ? actuation : rebase(actuation, event);
}

/**
 * Moves every instant of a record onto this boot's monotonic clock, as if no time had passed since it last changed: how
 * long the machine was off cannot be known from a wall clock that may not be set yet.
 */
function rebase(actuation: Actuation, event: { readonly at: Instant; readonly boot: string }): Actuation {
  const shift = event.at.mono - actuation.updatedAt.mono;
  const moved = shifted(actuation, shift) as Actuation;
  return { ...moved, boot: event.boot, deadline: moved.deadline === null ? null : moved.deadline + shift };
}

function shifted(value: unknown, shift: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shifted(each, shift));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, shifted(each, shift)] as const);
  const copy = Object.fromEntries(entries);
  return isInstant(value) ? { ...copy, mono: value.mono + shift } : copy;
}

function isInstant(value: object): value is Instant {
  return 'mono' in value && 'wall' in value && typeof value.mono === 'number';
}

import { type Actuation, type FieldTrack, lastRun } from './actuation.ts';
import { hasSpoken, isWanted } from './track.ts';
import { equal } from './value.ts';
import type { Reason, Ruling } from './verdict.ts';

/** Unanswered reads in a row after which a device that is only polled counts as silent: one can be a lost packet. */
const SILENT_READS = 2;

/** What can be said of one field now. */
export type Judgement =
  /** `final`: nothing later can change it. A good ruling stays open until the whole command settles. */
  | { readonly ruling: Ruling; readonly final: boolean }
  /** Nothing yet; look again at `wake` (on the monotonic clock) if nothing happens before. */
  | { readonly ruling: null; readonly wake: number };

/** The rules of design.md, section 3, for one field of a command that has been sent. `now` is monotonic. */
export function judge(actuation: Actuation, track: FieldTrack, now: number): Judgement {
  if (track.ruling) return { ruling: track.ruling, final: true };
  return (
    judgeOffline(actuation, track, now) ??
    judgeWanted(actuation, track, now) ??
    judgeBlind(actuation, track) ??
    judgeRest(actuation, track, now) ??
    judgeDeadline(actuation, track, now)
  );
}

/** Gone by its own word: final once it has lasted `settle`; a return cancels it. */
function judgeOffline(actuation: Actuation, track: FieldTrack, now: number): Judgement | null {
  if (!actuation.offlineSince) return null;
  const lasted = actuation.offlineSince.mono + actuation.rules.settleMs;
  // An HTTP device has no last will: its absence is known from reads alone, and one read can get lost.
  const sure = isPolled(track) ? actuation.failedReads >= SILENT_READS : true;
  if (now >= lasted && sure) return final('unreachable', 'offline');
  const deadline = deadlineOf(actuation);
  if (now >= deadline && wantedSince(actuation, track) === null) return final('unreachable', 'offline');
  return wait(now < lasted ? lasted : deadline, now);
}

/** The wanted value stands: verified once it has stayed for `settle`, which may end after the deadline. */
function judgeWanted(actuation: Actuation, track: FieldTrack, now: number): Judgement | null {
  const due = settleDue(actuation, track);
  if (due === null) return null;
  if (!isPolled(track)) return now >= due ? good() : wait(due, now);
  // A polled value has stayed only if a read at the end of the settle time still finds it.
  const confirmed = lastRun(track);
  if (!confirmed || confirmed.to.mono >= due) return good();
  if (now >= Math.max(due, deadlineOf(actuation)) && actuation.failedReads >= SILENT_READS) {
    return final('unreachable', 'timeout');
  }
  return wait(due, now);
}

/** When the settle time of a standing good value ends; null where none stands. Polls are planned by it. */
export function settleDue(actuation: Actuation, track: FieldTrack): number | null {
  if (track.ruling || track.moving || track.doubtAt) return null;
  const since = wantedSince(actuation, track);
  return since === null ? null : since + actuation.rules.settleMs;
}

/** Since when there is enough evidence that the wanted value stands (`verify.level`); null where there is not. */
function wantedSince(actuation: Actuation, track: FieldTrack): number | null {
  const last = lastRun(track);
  if (last) return isWanted(track, last.value) ? last.from.mono : null;
  const { level } = actuation.rules;
  if (level <= 2 && track.acked) return track.acked.mono;
  if (level <= 1 && track.send === 'accepted') return (track.lastSentAt ?? track.sentAt)?.mono ?? null;
  return null;
}

/** Nothing will ever be read back: say so as soon as the command was taken. */
function judgeBlind(actuation: Actuation, track: FieldTrack): Judgement | null {
  if (track.readback.readable || track.send !== 'accepted') return null;
  if (track.readback.ackable && actuation.rules.level <= 2) return null;
  return final('unconfirmed', 'no_readback');
}

/** The device itself said that a motion ended: where it came to rest is where it is, even before the deadline. */
function judgeRest(actuation: Actuation, track: FieldTrack, now: number): Judgement | null {
  if (!track.restAt || track.moving || track.doubtAt) return null;
  const due = track.restAt.mono + actuation.rules.settleMs;
  return now >= due ? final('mismatch', mismatchReason(track)) : wait(due, now);
}

/** Every other negative verdict waits for the deadline. */
function judgeDeadline(actuation: Actuation, track: FieldTrack, now: number): Judgement {
  const deadline = deadlineOf(actuation);
  if (now < deadline) return wait(deadline, now);
  const doubtEnds = track.doubtAt ? track.doubtAt.mono + actuation.rules.settleMs : now;
  if (now < doubtEnds) return wait(doubtEnds, now);
  return { ruling: atDeadline(actuation, track, now), final: true };
}

function atDeadline(actuation: Actuation, track: FieldTrack, now: number): Ruling {
  if (!track.sentAt) return rule('unreachable', 'delivery_failed');
  const last = lastRun(track);
  if (track.moving) return rule('still_moving', 'in_motion');
  if (last && isRamping(actuation, track, now)) return rule('still_moving', 'ramping');
  const silent = isPolled(track) && actuation.failedReads >= SILENT_READS;
  if (silent || !actuation.heardAt) {
    // A request that is still open is itself a sign that somebody is there, unless reads go unanswered beside it.
    const open = track.send === 'open' && actuation.failedReads === 0;
    return open ? rule('still_moving', 'request_open') : rule('unreachable', 'timeout');
  }
  if (track.send === 'open') return rule('still_moving', 'request_open');
  // A bridge repeats the wanted value, and the device itself did not answer when it was asked.
  if (last && isWanted(track, last.value)) return rule('unconfirmed', 'no_evidence');
  if (!last && track.excluded) return rule('ignored', 'not_applicable_in_mode');
  const stayed = !last || (!track.sawWanted && equal(track.compare, track.before ?? last.value, last.value));
  if (stayed && actuation.sendUncertain) return rule('unconfirmed', 'outcome_unknown');
  if (stayed) return rule('ignored', hasSpoken(track, actuation.rules) ? 'no_reaction' : 'no_evidence');
  return rule('mismatch', mismatchReason(track));
}

/** Two or more changes came nearer, none went away, and the last is no older than its gap or `settle` allows. */
function isRamping(actuation: Actuation, track: FieldTrack, now: number): boolean {
  const last = track.runs.at(-1);
  if (!last || track.nearer < 2 || track.wentAway) return false;
  const previous = track.runs.at(-2);
  const gap = last.from.mono - (previous?.from ?? track.sentAt ?? last.from).mono;
  return now - last.from.mono <= Math.max(gap, actuation.rules.settleMs);
}

function mismatchReason(track: FieldTrack): Reason {
  const last = lastRun(track);
  const { before, sent } = track;
  if (!last || before === null) return 'settled_elsewhere';
  if (track.sawWanted && equal(track.compare, before, last.value)) return 'reverted';
  if (track.compare.type === 'number') {
    const [low, high] = [Math.min(Number(before), Number(sent)), Math.max(Number(before), Number(sent))];
    const value = Number(last.value);
    const apart = !equal(track.compare, before, last.value) && !equal(track.compare, sent, last.value);
    if (value > low && value < high && apart) return 'clamped';
  }
  return 'settled_elsewhere';
}

/** The device does not speak by itself: everything known of the field comes from asking. */
function isPolled(track: FieldTrack): boolean {
  return track.readback.readable && !track.readback.push;
}

function deadlineOf(actuation: Actuation): number {
  return actuation.deadline ?? Number.POSITIVE_INFINITY;
}

function rule(verdict: Ruling['verdict'], reason: Reason): Ruling {
  return { verdict, reason };
}

function final(verdict: Ruling['verdict'], reason: Reason): Judgement {
  return { ruling: rule(verdict, reason), final: true };
}

function good(): Judgement {
  return { ruling: { verdict: 'verified', reason: null }, final: false };
}

/** A wake-up that has passed already has had its say: only an event can bring more. */
function wait(wake: number, now: number): Judgement {
  return { ruling: null, wake: wake > now ? wake : Number.POSITIVE_INFINITY };
}

import { type Actuation, type FieldTrack, lastRun, type Outcome } from './actuation.ts';
import { isEndedByRestore } from './incidents.ts';
import { unitText } from './plan.ts';
import { isAlready } from './result.ts';
import { mayHaveLeft } from './step.ts';
import { guardChanged } from './track.ts';
import { print, type Value } from './value.ts';
import type { Reason, Ruling } from './verdict.ts';

/**
 * A command told in one sentence that a person can read and a model can act on: what was sent, what was seen, and what
 * that means. Never an invitation to repeat the command blindly.
 */
export function sentence(actuation: Actuation): string {
  const { outcome } = actuation;
  if (!outcome) return `${actuation.deviceName}: ${underWay(actuation)}.`;
  switch (outcome.type) {
    case 'cancelled':
      return `${actuation.deviceName}: ${isEndedByRestore(actuation) ? RESTORED : cancelledText(outcome.sent)}.`;
    case 'failed':
      return `${actuation.deviceName}: failed, ${outcome.message}; ${lastKnown(actuation)}.`;
    case 'verdict':
      return `${actuation.deviceName}: ${verdictText(actuation, outcome)}.`;
  }
}

function underWay(actuation: Actuation): string {
  const wants = actuation.fields.map((track) => `${track.field} ${show(track, track.sent)}`).join(', ');
  switch (actuation.phase) {
    case 'awaiting_approval':
      return `waiting for a person to answer "${actuation.approval?.question ?? ''}"; nothing has been sent`;
    case 'queued':
      return `${wants} waits for its turn; nothing has been sent`;
    case 'sending':
      return `sending ${wants}`;
    case 'verifying':
    case 'settled':
      return `sent ${wants}; ${seenSoFar(actuation.fields)}; reading back`;
  }
}

/** What the restore of a backup makes of a command that had not been sent when it was made. */
const RESTORED =
  'cancelled before it was sent, because a backup was restored in which it still waited; ask anew if it is wanted';

/** What a cancelled command leaves behind. */
export function cancelledText(sent: boolean): string {
  return sent
    ? 'cancelled: no longer tracked, but the command had been sent already and is not taken back'
    : 'cancelled before it was sent: the device received nothing';
}

function lastKnown(actuation: Actuation): string {
  if (!mayHaveLeft(actuation)) return 'nothing was sent';
  return `${actuation.fields.map((track) => `sent ${track.field} ${show(track, track.sent)}, ${seen(track)}`).join('; ')}`;
}

function verdictText(actuation: Actuation, outcome: Extract<Outcome, { type: 'verdict' }>): string {
  if (outcome.verdict === 'declined') {
    const why = outcome.reason === 'approval_expired' ? 'nobody answered in time' : `${answeredBy(actuation)} said no`;
    return `declined, ${why}; nothing was sent`;
  }
  if (outcome.verdict === 'superseded') {
    const sent = mayHaveLeft(actuation) ? 'it had been sent already' : 'it was not sent';
    return `superseded by a newer command for the same field; ${sent}`;
  }
  if (actuation.refusal)
    return `rejected (${actuation.refusal.reason}), nothing was sent: ${actuation.refusal.message}`;
  const guards = actuation.guards
    .filter(guardChanged)
    .map((guard) => `${guard.field} changed from ${guard.before} to ${guard.observed} although nobody asked for it`);
  return [...actuation.fields.map((track) => fieldText(actuation, track)), ...guards].join('; ');
}

function answeredBy(actuation: Actuation): string {
  return actuation.approval?.answer?.by ?? 'a person';
}

/** One field's verdict in words. */
function fieldText(actuation: Actuation, track: FieldTrack): string {
  const ruling = track.ruling;
  const name = track.field;
  const wanted = show(track, track.sent);
  if (!ruling) return `${name} ${wanted}: no verdict`;
  if (ruling.verdict === 'verified') {
    return `verified: ${name} is ${show(track, lastRun(track)?.value ?? track.sent)}${isAlready(track) ? ', as it was before' : ''}`;
  }
  const detail = track.detail ? ` (${track.detail})` : '';
  const reason = ruling.reason ? ` (${ruling.reason})` : '';
  if (!track.sentAt)
    return `${ruling.verdict}${reason}: ${name} ${wanted} was not sent, ${why(actuation, track, ruling)}${detail}`;
  return `${ruling.verdict}${reason}: sent ${name} ${wanted}, ${seen(track)}; ${why(actuation, track, ruling)}${detail}`;
}

/** What was read of each field; which field is meant needs saying only where there are several. */
function seenSoFar(tracks: readonly FieldTrack[]): string {
  if (tracks.length > 1 && tracks.every((track) => !lastRun(track) && !track.acked)) return 'no reading of them yet';
  return tracks.map((track) => (tracks.length > 1 ? `${track.field}: ${seen(track)}` : seen(track))).join(', ');
}

/** What was read since the send. */
function seen(track: FieldTrack): string {
  const last = lastRun(track);
  if (!last) return track.acked ? 'only acknowledged so far' : 'no reading of it yet';
  return `read ${show(track, last.value)}`;
}

function why(actuation: Actuation, track: FieldTrack, ruling: Ruling): string {
  const was = track.before === null ? '' : ` (it was ${show(track, track.before)})`;
  return WHY[ruling.reason ?? 'no_evidence']?.(was, actuation) ?? ruling.verdict;
}

const WHY: Readonly<Partial<Record<Reason, (was: string, actuation: Actuation) => string>>> = {
  no_reaction: (was) => `the device answers but did not move${was}`,
  no_evidence: () => 'the device answers, but nothing that counts has been heard of this field',
  not_applicable_in_mode: () => 'the field has no meaning in the mode that the device is in',
  settled_elsewhere: (was) => `it moved and stands somewhere else${was}`,
  clamped: (was) => `it moved only part of the way${was}: the device may have a limit there`,
  reverted: (was) => `it reached the wanted value and went back${was}`,
  in_motion: () => 'it is still moving at the deadline; read it again later',
  ramping: (was) => `it is still on its way at the deadline${was}; read it again later`,
  request_open: () => 'the device has not answered the command yet; read it again later',
  offline: () => 'the device is offline',
  timeout: () => 'the device did not answer, so it may or may not have acted',
  delivery_failed: () => 'the command could not be delivered',
  no_readback: () => 'nothing can be read back from this device, so nobody knows whether it acted',
  outcome_unknown: (was, actuation) =>
    isEndedByRestore(actuation)
      ? `a backup was restored in which it was under way${was}, so nobody knows what became of it; it is not sent again by itself`
      : `the gateway stopped while it was being sent, and nothing has moved since${was}; it is not sent again by itself`,
  device_error: () => 'the device refused it',
  not_found: () => 'the device does not know the address that the command went to',
  auth_failed: () => "the device refused the gateway's login",
  auth_throttled: () => 'the device refuses logins for now, after too many failed ones',
};

/** A value of a field with its step's decimals and its unit, as people read it: `22.0 °C`. */
export function show(track: Pick<FieldTrack, 'step' | 'unit'>, value: Value): string {
  const printed = print(track.step === null ? {} : { step: track.step }, value);
  return `${printed}${unitText(track.unit)}`;
}

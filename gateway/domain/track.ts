import type { FieldTrack, GuardTrack, Run, SetAside, WhySetAside } from './actuation.ts';
import { appended } from './appended.ts';
import type { VerifyRules } from './device.ts';
import type { Reading } from './reading.ts';
import type { Instant } from './time.ts';
import { equal, type Value } from './value.ts';

/** Enough for every rule and for a person to follow, however chatty the device is. */
const MAX_RUNS = 24;
const MAX_SET_ASIDE = 16;

/** Whether a value is the wanted one. */
export function isWanted(track: FieldTrack, value: Value): boolean {
  return equal(track.compare, track.sent, value);
}

/**
 * Whether the device itself has said anything of the field that counts. What a bridge says from memory is not its word, be
 * it the new value or the old one, until the device has been read.
 */
export function hasSpoken({ runs, readback }: FieldTrack, { confirm }: VerifyRules): boolean {
  return confirm && readback.askable ? runs.some(({ source }) => source === 'read') : runs.length > 0;
}

/** What one message of the device adds to what is known of a commanded field. */
export function observe(track: FieldTrack, reading: Reading, rules: VerifyRules): FieldTrack {
  if (!track.sentAt) return track;
  const early = reading.beganAt.mono <= track.sentAt.mono;
  const seen = early || reading.retained ? track : noteSigns(track, reading);
  const value = reading.values[track.field];
  if (value === undefined) return seen;
  const why = whySetAside(seen, reading, value, early, rules);
  if (why === null) return count(seen, value as Value, reading, rules);
  const setAside = withSetAside(seen, why, value, reading);
  return { ...seen, setAside, acked: why === 'echo' ? (seen.acked ?? reading.at) : seen.acked };
}

/** Motion, acknowledgement and excluded states: signs that are not values. */
function noteSigns(track: FieldTrack, reading: Reading): FieldTrack {
  const { field } = track;
  const moving = reading.moving[field] ?? track.moving;
  const ack = reading.acks[field];
  const acked = ack !== undefined && isWanted(track, ack) ? (track.acked ?? reading.at) : track.acked;
  const excluded = track.excluded || reading.excluded.includes(field);
  if (moving === track.moving && acked === track.acked && excluded === track.excluded) return track;
  return {
    ...track,
    moving,
    wasMoving: track.wasMoving || moving,
    restAt: moving ? null : track.restAt,
    acked,
    excluded,
  };
}

/** Why a reading does not count (design.md, section 3), or null where it does. */
function whySetAside(
  track: FieldTrack,
  reading: Reading,
  value: Value | null,
  early: boolean,
  rules: VerifyRules,
): WhySetAside | null {
  if (reading.retained) return 'retained';
  if (early) return 'before_send';
  if (value === null) return 'null';
  if (reading.moving[track.field]) return 'moving';
  return isWanted(track, value) && mayBeEcho(track, reading, rules.echoMs) ? 'echo' : null;
}

/**
 * The window of an echo opens with the send. On a broker it opens once that has taken the command: until then no bridge can
 * have repeated it, and on a machine that was held up the acknowledgement and the echo are read late alike.
 */
function mayBeEcho(track: FieldTrack, reading: Reading, echoMs: number): boolean {
  if (echoMs === 0) return false;
  if (track.readback.push && track.send === 'open') return true;
  const opened = track.readback.push ? track.acceptedAt : undefined;
  const sent = track.lastSentAt ?? track.sentAt;
  return reading.at.mono < Math.max(sent?.mono ?? 0, opened?.mono ?? 0) + echoMs;
}

/** A counted reading in between ends a row of them. */
function withSetAside(track: FieldTrack, why: WhySetAside, value: Value | null, reading: Reading): readonly SetAside[] {
  const { setAside = [] } = track;
  const { at, source } = reading;
  const last = setAside.at(-1);
  const counted = track.runs.at(-1)?.to.mono ?? Number.NEGATIVE_INFINITY;
  if (last?.why === why && last.value === value && last.source === source && counted < last.to.mono) {
    return [...setAside.slice(0, -1), { ...last, to: at, count: last.count + 1 }];
  }
  return appended(setAside, { why, value, from: at, to: at, count: 1, source }, MAX_SET_ASIDE);
}

function count(track: FieldTrack, value: Value, reading: Reading, rules: VerifyRules): FieldTrack {
  const wanted = isWanted(track, value);
  const last = track.runs.at(-1);
  // A motion in between ends a run even if the same value comes back: it did not stay.
  const interrupted = track.wasMoving && track.restAt === null;
  const same = last !== undefined && !interrupted && belongs(track, last.value, value);
  const contradicts = !wanted && last !== undefined && isWanted(track, last.value);
  const before = track.before ?? value;
  return {
    ...track,
    before,
    beforeFrom: track.beforeFrom ?? 'first_reading',
    runs: same
      ? [...track.runs.slice(0, -1), extended(last, value, reading)]
      : appended(track.runs, firstOf(value, reading), MAX_RUNS),
    sawWanted: track.sawWanted || wanted,
    ...direction(track, last?.value ?? before, value),
    restAt: track.wasMoving && !same ? reading.at : track.restAt,
    doubtAt: doubt(track, reading, wanted, contradicts, rules),
  };
}

/** Wanted values form one run whatever their noise inside the tolerance; others only to the letter. */
function belongs(track: FieldTrack, previous: Value, value: Value): boolean {
  if (isWanted(track, previous) || isWanted(track, value)) return isWanted(track, previous) && isWanted(track, value);
  return previous === value;
}

function extended(run: Run, value: Value, reading: Reading): Run {
  return { value, from: run.from, to: reading.at, count: run.count + 1, source: reading.source };
}

function firstOf(value: Value, { at, source }: Reading): Run {
  return { value, from: at, to: at, count: 1, source };
}

/** Whether a change came nearer to the wanted number or went away from it; words have no direction. */
function direction(track: FieldTrack, from: Value, to: Value): Pick<FieldTrack, 'nearer' | 'wentAway'> {
  const { nearer, wentAway } = track;
  if (track.compare.type !== 'number' || from === to) return { nearer, wentAway };
  const was = Math.abs(Number(from) - Number(track.sent));
  const is = Math.abs(Number(to) - Number(track.sent));
  return { nearer: nearer + (is < was ? 1 : 0), wentAway: wentAway || is > was };
}

/**
 * A report that contradicts a good one raises a doubt, which one direct read may lift; a read decides by itself. So does a
 * good report of a bridge that has echoed the command: it may be the bridge's memory that speaks.
 */
function doubt(
  track: FieldTrack,
  reading: Reading,
  wanted: boolean,
  contradicts: boolean,
  rules: VerifyRules,
): Instant | null {
  if (reading.source === 'read') return null;
  if (wanted) return mayBeMemory(track, rules) ? (track.doubtAt ?? reading.at) : null;
  if (contradicts && track.readback.askable) return reading.at;
  return track.doubtAt;
}

/** A wanted value that stands without a doubt has been confirmed already. */
function mayBeMemory(track: FieldTrack, rules: VerifyRules): boolean {
  const last = track.runs.at(-1);
  const confirmed = last !== undefined && isWanted(track, last.value) && track.doubtAt === null;
  return rules.confirm === true && track.readback.askable && track.acked !== null && !confirmed;
}

/** What one message adds to what is known of a guarded field. */
export function observeGuard(guard: GuardTrack, reading: Reading, sentAt: Instant): GuardTrack {
  const value = reading.values[guard.field];
  if (value === undefined || value === null || reading.retained) return guard;
  if (reading.beganAt.mono <= sentAt.mono || reading.moving[guard.field]) return guard;
  return { ...guard, before: guard.before ?? value, observed: value, observedAt: reading.at };
}

/** Whether a guarded field stands elsewhere than before the command. */
export function guardChanged(guard: GuardTrack): boolean {
  return guard.before !== null && guard.observed !== null && !equal(guard.compare, guard.before, guard.observed);
}

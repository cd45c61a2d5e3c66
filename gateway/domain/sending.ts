import type { Actuation, FieldTrack } from './actuation.ts';
import type { SendReport } from './device.ts';
import type { Instant } from './time.ts';
import type { Reason, Ruling } from './verdict.ts';

/** Reasons by which the device itself, and not the way to it, stands in the way. */
const REFUSALS: readonly Reason[] = [
  'out_of_range',
  'bad_option',
  'read_only',
  'not_applicable_in_mode',
  'device_error',
  'not_found',
  'auth_failed',
  'auth_throttled',
];

/** What a report of a failure means for the fields that it is about. */
export function failureRuling(reason: Reason): Ruling {
  return { verdict: REFUSALS.includes(reason) ? 'rejected' : 'unreachable', reason };
}

/** What becomes of a command as its requests leave and are answered. */
export function onSendReport(actuation: Actuation, report: SendReport, at: Instant): Actuation {
  if (actuation.phase !== 'sending' && actuation.phase !== 'verifying') return actuation;
  const fields = actuation.fields.map((track) =>
    report.fields.includes(track.field) ? trackReport(track, report, at) : track,
  );
  const next = { ...actuation, fields };
  if (report.type !== 'sent') return next;
  return {
    ...next,
    phase: 'verifying',
    sentAt: actuation.sentAt ?? at,
    deadline: actuation.deadline ?? at.mono + actuation.rules.deadlineMs,
  };
}

function trackReport(track: FieldTrack, report: SendReport, at: Instant): FieldTrack {
  switch (report.type) {
    case 'sent':
      return { ...track, send: 'open', sentAt: track.sentAt ?? at, lastSentAt: at };
    case 'accepted':
      return { ...track, send: 'accepted', acceptedAt: at };
    case 'lost':
      return { ...track, send: 'lost', detail: report.detail };
    case 'refused':
      return { ...track, send: 'refused', detail: report.detail, ruling: failureRuling(report.reason) };
    case 'not_sent':
      // Of a command that left once already, only the repetition failed.
      if (track.sentAt) return { ...track, detail: report.detail };
      return { ...track, detail: report.detail, ruling: failureRuling(report.reason) };
  }
}

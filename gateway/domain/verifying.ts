import type { Actuation, FieldTrack } from './actuation.ts';
import type { AvailabilityReport, DeliveryReport, DeviceReport, PushReport, Reading } from './reading.ts';
import { failureRuling } from './sending.ts';
import { observe, observeGuard } from './track.ts';

/** What a word of the device adds to a command that has been sent; before that only how it can be read back matters. */
export function onDeviceReport(actuation: Actuation, report: DeviceReport): Actuation {
  if (!actuation.sentAt && report.type !== 'push') return actuation;
  switch (report.type) {
    case 'push':
      return onPush(actuation, report);
    case 'reading':
      return onReading(actuation, report);
    case 'availability':
      return onAvailability(actuation, report);
    case 'delivery':
      return onDelivery(actuation, report);
  }
}

function onReading(actuation: Actuation, reading: Reading): Actuation {
  const { sentAt } = actuation;
  if (!sentAt) return actuation;
  const live = !reading.retained && reading.beganAt.mono > sentAt.mono;
  const direct = reading.source === 'read' && live;
  const fields = actuation.fields.map((track) => observe(track, reading, actuation.rules));
  const guards = actuation.guards.map((guard) => observeGuard(guard, reading, sentAt));
  const untouched =
    !live &&
    fields.every((track, index) => track === actuation.fields[index]) &&
    guards.every((guard, index) => guard === actuation.guards[index]);
  if (untouched) return actuation;
  return {
    ...actuation,
    fields,
    guards,
    heardAt: live ? reading.at : actuation.heardAt,
    // Whoever speaks is not gone, whatever its last will said.
    offlineSince: live ? null : actuation.offlineSince,
    reads: actuation.reads + (direct ? 1 : 0),
    failedReads: direct ? 0 : actuation.failedReads,
  };
}

function onAvailability(actuation: Actuation, report: AvailabilityReport): Actuation {
  if (report.retained) return actuation;
  if (!report.online) return actuation.offlineSince ? actuation : { ...actuation, offlineSince: report.at };
  return { ...actuation, offlineSince: null, heardAt: report.at };
}

function onPush(actuation: Actuation, { push }: PushReport): Actuation {
  const fields = actuation.fields.map((track) => withPush(track, push[track.field] ?? track.readback.push));
  return fields.every((track, index) => track === actuation.fields[index]) ? actuation : { ...actuation, fields };
}

function withPush(track: FieldTrack, push: boolean): FieldTrack {
  return track.readback.push === push ? track : { ...track, readback: { ...track.readback, push } };
}

function onDelivery(actuation: Actuation, report: DeliveryReport): Actuation {
  const fields = actuation.fields.map((track) =>
    track.ruling || !track.sentAt ? track : { ...track, detail: report.detail, ruling: failureRuling(report.reason) },
  );
  return { ...actuation, fields };
}

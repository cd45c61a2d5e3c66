import { type Actuation, type FieldTrack, lastRun } from './actuation.ts';

/**
 * Whether a change must be on disk before anybody hears of it or anything is done about it. A reading that only repeats
 * the one before it is not: losing it in a crash loses nothing, and an SD card is spared a write for every poll.
 */
export function isMilestone(before: Actuation, after: Actuation): boolean {
  return (
    before.phase !== after.phase ||
    before.outcome !== after.outcome ||
    before.approval !== after.approval ||
    before.sends !== after.sends ||
    before.sentAt !== after.sentAt ||
    before.restarts !== after.restarts ||
    before.offlineSince !== after.offlineSince ||
    after.fields.some((track, index) => moved(before.fields[index], track)) ||
    after.guards.some((guard, index) => before.guards[index]?.observed !== guard.observed)
  );
}

function moved(before: FieldTrack | undefined, after: FieldTrack): boolean {
  if (!before || before === after) return before !== after;
  return (
    before.send !== after.send ||
    before.ruling !== after.ruling ||
    before.moving !== after.moving ||
    before.doubtAt !== after.doubtAt ||
    before.acked !== after.acked ||
    before.excluded !== after.excluded ||
    lastRun(before)?.from !== lastRun(after)?.from
  );
}

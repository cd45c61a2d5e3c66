import type { Actuation, Incident } from './actuation.ts';
import { appended } from './appended.ts';
import type { Instant } from './time.ts';

/** A device that comes and goes all the time must not make a record grow. */
const MAX_INCIDENTS = 16;

/** Keeps in mind what has come between a command and its verdict, by what one event changed of it. */
export function noteIncident(before: Actuation, after: Actuation, at: Instant): Actuation {
  const type = incidentBetween(before, after);
  if (type === null) return after;
  return { ...after, incidents: appended(after.incidents ?? [], { type, at }, MAX_INCIDENTS) };
}

function incidentBetween(before: Actuation, after: Actuation): Incident['type'] | null {
  // A restart knows nothing of the device any more, and says nothing of it.
  if (before.restarts !== after.restarts) return 'restarted';
  if ((before.offlineSince === null) === (after.offlineSince === null)) return null;
  return after.offlineSince === null ? 'online' : 'offline';
}

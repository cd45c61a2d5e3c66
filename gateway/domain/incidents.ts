import type { Actuation, Incident } from './actuation.ts';
import { appended } from './appended.ts';
import type { ActuationEvent } from './events.ts';

/** A device that comes and goes all the time must not make a record grow. */
const MAX_INCIDENTS = 16;

/** Keeps in mind what has come between a command and its verdict, by what one event changed of it. */
export function noteIncident(before: Actuation, after: Actuation, event: ActuationEvent): Actuation {
  const type = event.type === 'restored' ? event.type : incidentBetween(before, after);
  if (type === null) return after;
  return { ...after, incidents: appended(after.incidents ?? [], { type, at: event.at }, MAX_INCIDENTS) };
}

/** Whether a command did not end by itself, but because a backup of the time when it was open was put in place. */
export function isEndedByRestore({ incidents }: Actuation): boolean {
  return incidents?.at(-1)?.type === 'restored';
}

function incidentBetween(before: Actuation, after: Actuation): Incident['type'] | null {
  // A restart knows nothing of the device any more, and says nothing of it.
  if (before.restarts !== after.restarts) return 'restarted';
  if ((before.offlineSince === null) === (after.offlineSince === null)) return null;
  return after.offlineSince === null ? 'online' : 'offline';
}

import type { Actuation } from './actuation.ts';
import type { ActuationEvent } from './events.ts';
import { onBoot, takenUp } from './resume.ts';
import { worst } from './verdict.ts';

/**
 * Ends a command that was open when a backup was made. The wish is of another day: what was not sent is not sent any
 * more, and of what may have been, nobody knows what became; what the device shows now is no answer to it.
 */
export function restored(actuation: Actuation, event: Extract<ActuationEvent, { type: 'restored' }>): Actuation {
  const here = onBoot(actuation, event);
  const { at } = event;
  if (here.phase !== 'sending' && here.phase !== 'verifying') {
    return { ...here, phase: 'settled', outcome: { type: 'cancelled', sent: false, at } };
  }
  const sent = takenUp(here);
  const unknown = { verdict: 'unconfirmed', reason: 'outcome_unknown' } as const;
  const fields = sent.fields.map((track) => ({ ...track, ruling: track.ruling ?? unknown }));
  const overall = worst(fields.map(({ ruling }) => ruling)) ?? unknown;
  return { ...sent, fields, phase: 'settled', outcome: { type: 'verdict', ...overall, at } };
}

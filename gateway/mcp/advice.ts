import type { Actuation } from '../domain/actuation.ts';
import type { Reason } from '../domain/verdict.ts';

/**
 * What to do about a verdict that is not what was wished, for a model: look, tell, ask or choose, and never send the same
 * command blindly once more.
 */
const ADVICE = {
  out_of_range: 'Choose a value that is allowed, or tell the user what is.',
  bad_option: 'Choose a word that is allowed, or tell the user which are.',
  read_only: 'Tell the user that this can only be read.',
  not_applicable_in_mode: 'Tell the user which mode it needs, and ask before changing the mode.',
  unknown_field: 'Use the fields that the tool lists.',
  device_error: 'Tell the user what the device said.',
  not_found: "Tell the user that the address in the gateway's configuration is not the device's.",
  auth_failed: "Tell the user that the login in the gateway's configuration has to be corrected.",
  auth_throttled: 'Leave the device alone for some minutes, and tell the user why.',
  no_reaction: 'Tell the user that it did not move: a remote control, a lock or a schedule at the device may hold it.',
  no_evidence: 'Look at it with get_state later, and take neither for granted until then.',
  settled_elsewhere: 'Tell the user what it stands at: somebody or something else may have set it.',
  clamped: 'Tell the user how far it went, and ask before choosing another value.',
  reverted: 'Tell the user that something at the device put it back.',
  side_effect: 'Tell the user what else changed, and ask whether to set that back.',
  in_motion: 'Look at it with get_state in a while.',
  ramping: 'Look at it with get_state in a while.',
  request_open: 'Look at it with get_state in a while.',
  offline: 'Tell the user that it cannot be reached; get_state shows when it can.',
  timeout: 'Look at it with get_state before anything else: it may have acted.',
  delivery_failed: 'Tell the user that the bridge could not reach it: power and distance are the usual causes.',
  no_readback: 'Ask the user to look, if it matters.',
  outcome_unknown: 'Look at it with get_state, and ask the user whether it is still wanted.',
  newer_command: 'Follow the newer command.',
  approval_denied: 'Accept the answer.',
  approval_expired: 'Ask the user whether it is still wanted.',
} as const satisfies Readonly<Record<Reason, string>>;

/** The advice for a command that has ended with a reason; undefined for every other. */
export function adviceOn({ outcome }: Actuation): string | undefined {
  const reason = outcome?.type === 'verdict' ? outcome.reason : null;
  return reason === null ? undefined : ADVICE[reason];
}

import type { Evidence, Reason, Verdict } from './verdict.ts';

/** What each verdict means to whoever gave the command. */
export const VERDICT_MEANINGS = {
  verified: 'done: the wanted value was read back from the device and stayed',
  ignored: 'the device answers, but by the deadline nothing had moved; an answer to the command alone is no proof',
  mismatch: 'the device moved and stands somewhere else than it was told to, or something else changed with it',
  still_moving: 'at the deadline the device was still on its way; read its state later, an old value is no failure',
  unreachable: 'nobody answered: the device is offline, or the command could not be delivered',
  rejected: 'refused, by the rules before anything was sent or by the device itself; the reason says why',
  unconfirmed: 'sent, but nothing independent can say what became of it; look at the device',
  superseded: 'a newer command for the same field took over',
  declined: 'a person said no, or nobody answered in time; nothing was sent',
} as const satisfies Record<Verdict, string>;

/** Why a verdict is what it is. */
export const REASON_MEANINGS = {
  out_of_range: 'the value lies outside what the field takes in the mode that would be in force',
  bad_option: 'the field does not know this word; the message lists those that it knows',
  read_only: 'the field can be read but not set',
  not_applicable_in_mode: 'the field has no effect in the mode that the device is in',
  unknown_field: 'the device has no such field',
  device_error: 'the device answered the command with an error',
  not_found: 'the device, or its bridge, does not know what the command was addressed to',
  auth_failed: 'the device did not accept the credentials in the configuration',
  auth_throttled: 'the device takes no more requests for now',
  no_reaction: 'the value was read and is the same as before the command',
  no_evidence: 'the device is alive, but told nothing of this field that counts',
  settled_elsewhere: 'the value came to rest at something other than was wanted',
  clamped: 'the value stopped between where it was and where it should be, as at a limit',
  reverted: 'the wanted value was there and then went back to what it was before',
  side_effect: 'a field that the command had to leave alone changed',
  in_motion: 'the device says itself that it is moving',
  ramping: 'the value was coming nearer, step by step',
  request_open: 'the device has not finished answering the command',
  offline: 'the device or its bridge said that it is gone, or it stopped answering',
  timeout: 'nothing at all was heard until the deadline',
  delivery_failed: 'the command could not be handed over',
  no_readback: 'nothing in the configuration says how to read this field back; the command itself was taken',
  outcome_unknown:
    'it may or may not have been sent before a crash or a restore, and what was read since decides nothing',
  newer_command: 'another command for the same field came in',
  approval_denied: 'the person who was asked said no',
  approval_expired: 'nobody answered the question in time',
} as const satisfies Record<Reason, string>;

/** What stands behind what is said of a field. */
export const EVIDENCE_MEANINGS = {
  0: 'it was sent',
  1: 'the transport answered',
  2: 'the device or its bridge acknowledged or echoed it',
  3: 'an independent report or read',
  4: 'a physical sign, such as a power meter or a contact',
} as const satisfies Record<Evidence, string>;

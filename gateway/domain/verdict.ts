/** Every way in which a command can end. The words are shown to users; see design.md, section 3. */
export const VERDICTS = [
  'verified',
  'ignored',
  'mismatch',
  'still_moving',
  'unreachable',
  'rejected',
  'unconfirmed',
  'superseded',
  'declined',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The verdicts that one field of a command can have. */
export type FieldVerdict = Exclude<Verdict, 'declined'>;

/** Why a verdict is what it is: stable words that programs may match on. */
export const REASONS = [
  'out_of_range',
  'bad_option',
  'read_only',
  'not_applicable_in_mode',
  'unknown_field',
  'device_error',
  'not_found',
  'auth_failed',
  'auth_throttled',
  'no_reaction',
  'no_evidence',
  'settled_elsewhere',
  'clamped',
  'reverted',
  'side_effect',
  'in_motion',
  'ramping',
  'request_open',
  'offline',
  'timeout',
  'delivery_failed',
  'no_readback',
  'outcome_unknown',
  'newer_command',
  'approval_denied',
  'approval_expired',
] as const;
export type Reason = (typeof REASONS)[number];

/** A field's ruling: `reason` is null only for `verified`. */
export interface Ruling {
  readonly verdict: FieldVerdict;
  readonly reason: Reason | null;
}

/** Worst first: a command with several fields is as good as its worst one. */
const WORST_FIRST = [
  'rejected',
  'unreachable',
  'mismatch',
  'ignored',
  'still_moving',
  'unconfirmed',
  'verified',
] as const satisfies readonly FieldVerdict[];

/** The worst of several rulings; among equals the first. `superseded` never meets others: it ends a command whole. */
export function worst(rulings: readonly Ruling[]): Ruling | undefined {
  const rank = (ruling: Ruling) => (WORST_FIRST as readonly string[]).indexOf(ruling.verdict);
  return rulings.reduce<Ruling | undefined>((bad, next) => (bad && rank(bad) <= rank(next) ? bad : next), undefined);
}

/**
 * How much stands behind a statement about a field (design.md, section 3): 0 sent, 1 the transport answered,
 * 2 the device or its bridge acknowledged or echoed, 3 an independent report or read, 4 a physical sign.
 */
export type Evidence = 0 | 1 | 2 | 3 | 4;

import type { WishOutcome } from '../../client/wish.ts';
import type { Verdict } from '../../domain/verdict.ts';

/** A command's exit code says how its wish ended. 1 and 2 are left to what went wrong on this side. */
export const EXIT_CODES = {
  verified: 0,
  result: 0,
  ignored: 10,
  mismatch: 11,
  still_moving: 12,
  unreachable: 13,
  rejected: 14,
  unconfirmed: 15,
  superseded: 16,
  declined: 17,
  error: 20,
  failed: 21,
  cancelled: 22,
  not_delivered: 23,
  unknown: 24,
  forgotten: 25,
} as const satisfies Record<Verdict | Exclude<WishOutcome['type'], 'verdict'> | 'error', number>;

/** One word for how a wish ended. */
export type Ended = keyof typeof EXIT_CODES;

/** The word for an outcome: the verdict where there is one. */
export function endedAs(outcome: WishOutcome): Ended {
  if (outcome.type === 'verdict') return outcome.verdict;
  return outcome.type === 'result' && outcome.isError ? 'error' : outcome.type;
}

/** The exit code for several: the highest, and 0 only where all went well. */
export function exitCodeOf(outcomes: readonly WishOutcome[]): number {
  return Math.max(0, ...outcomes.map((outcome) => EXIT_CODES[endedAs(outcome)]));
}

/** The codes as `readback call --help` tells them. */
export const EXIT_CODES_HELP = `
Exit codes:
  0   verified (or, for another server's tool, a result without an error)
  10  ignored        13  unreachable    16  superseded
  11  mismatch       14  rejected       17  declined
  12  still_moving   15  unconfirmed
  20  the tool says that it failed      23  not delivered in time: nothing was sent
  21  the server failed or refused      24  sent, and the answer was lost
  22  cancelled                         25  the server forgot the task
  130 left with Ctrl-C: it goes on, and \`readback watch\` follows it
  1   something is wrong on this side: \`readback tasks\` lists what is on record
  2   it was not well put: nothing was sent`;

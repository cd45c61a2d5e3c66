import { isIPv6 } from 'node:net';
import { LOCAL_PRINCIPAL, type TokenRecord } from '../domain/principal.ts';
import type { Clock } from '../domain/time.ts';
import { RateLimit } from './rate-limit.ts';

/** Unknown tokens that one address has at once, and how many more it gets a second. */
const FAILURES = { burst: 10, perSecond: 1 / 6 };

/** Pairs of address and token that are remembered; the oldest is forgotten first. */
const MOST_PAIRS = 10_000;

/**
 * Slows down whoever guesses, by whatever door. An address that showed too many unknown tokens has to wait, also with a
 * right one: a guess that is right may not be told from the others. Only what came in from there before goes on, and the
 * token of this machine's own user, which is too long to guess: one program with an old token does not shut out the rest of
 * its machine.
 */
export class Guesses {
  readonly #failures: RateLimit;
  /** Oldest first. */
  readonly #welcome = new Set<string>();

  constructor(clock: Clock) {
    this.#failures = new RateLimit({ ...FAILURES, clock });
  }

  /**
   * Counts what a token turned out to be.
   * @param address of the client, as its socket gives it
   * @param found undefined for a token that is not known
   * @returns how long the address has to wait, in ms, before it is told anything; 0: it is told now
   */
  judge(address: string | undefined, found: TokenRecord | undefined): number {
    if (found?.name === LOCAL_PRINCIPAL) return 0;
    const from = neighbourhood(address ?? '');
    const pair = found && `${from} ${found.sha256}`;
    if (pair !== undefined && this.#welcome.has(pair)) return 0;
    if (pair === undefined) return this.#failures.take(from);
    const waitMs = this.#failures.waitMs(from);
    if (waitMs === 0) this.#remember(pair);
    return waitMs;
  }

  #remember(pair: string): void {
    this.#welcome.add(pair);
    const [oldest] = this.#welcome;
    if (this.#welcome.size > MOST_PAIRS && oldest !== undefined) this.#welcome.delete(oldest);
  }
}

/** One household of IPv6 has 2^64 addresses or more: it counts as one, however its address is written. */
export function neighbourhood(address: string): string {
  // `::ffff:192.0.2.7` is one address of IPv4.
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.replace(/%.*/, '').split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

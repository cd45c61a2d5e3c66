import type { Clock } from '../domain/time.ts';

/** How much is let through. */
export interface RateLimitOptions {
  /** In the long run, for each key. */
  readonly perSecond: number;
  /** At once, after a rest; at least one. */
  readonly burst: number;
  readonly clock: Clock;
}

/** What one key has left, and when that was worked out, on the monotonic clock in ms. */
interface Bucket {
  left: number;
  at: number;
}

/** Keys that are remembered; the one that was heard of longest ago is forgotten first, and begins with a full bucket. */
const MOST_KEYS = 10_000;

/** A token bucket for each key. It runs on the monotonic clock: a jump of the wall clock locks nobody out. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  /** Longest unheard of first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** Takes one from a key's bucket where it has one. @returns how long to wait otherwise, in ms; 0: it was taken */
  take(key: string): number {
    const bucket = this.#bucket(key);
    const missing = this.#missingMs(bucket);
    if (missing === 0) bucket.left -= 1;
    return missing;
  }

  /** How long until a key may take one, in ms; 0: now. Nothing is taken. */
  waitMs(key: string): number {
    return this.#missingMs(this.#bucket(key));
  }

  #missingMs({ left }: Bucket): number {
    return left >= 1 ? 0 : ((1 - left) / this.#options.perSecond) * 1_000;
  }

  #bucket(key: string): Bucket {
    const { perSecond, clock } = this.#options;
    // A bucket that never holds a whole one would let nothing through.
    const burst = Math.max(1, this.#options.burst);
    const now = clock.now().mono;
    const bucket = this.#buckets.get(key) ?? { left: burst, at: now };
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1_000) * perSecond);
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_KEYS && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}

/** The header that says when to come again: whole seconds, at least one. */
export function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
}

import type { Instant } from '../domain/time.ts';

/**
 * A moment of this boot, by the wall clock as it is set now, in ISO 8601: one that was written down before the clock of a Pi
 * was set would look years old.
 */
export function when({ mono }: Pick<Instant, 'mono'>, now: Instant): string {
  return new Date(now.wall - (now.mono - mono)).toISOString();
}

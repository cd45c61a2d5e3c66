import * as z from 'zod';
import type { Retention } from '../domain/retention.ts';
import { duration, strict } from './schema-parts.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 3_650;

/** `7d` as milliseconds. */
const days = z
  .string()
  .regex(/^\d{1,4}d$/, 'is a number of days: 7d')
  .transform((written) => Number(written.slice(0, -1)) * DAY_MS)
  .refine((ms) => ms <= MOST_DAYS * DAY_MS, `must be at most ${MOST_DAYS}d`);

const UNIT_BYTES = { MB: 1_000_000, GB: 1_000_000_000 } as const;

/** `200MB` as bytes. */
const size = z
  .string()
  .regex(/^\d{1,5}(MB|GB)$/, 'is a whole number and its unit: 200MB or 1GB')
  .transform((written) => Number(written.slice(0, -2)) * UNIT_BYTES[written.slice(-2) as keyof typeof UNIT_BYTES]);

/** How long commands last, can be asked for, and are remembered. */
export const tasksSchema = strict({
  ttl: duration.prefault('300s'),
  /** How long a call waits for its verdict before it hands out the task instead. */
  inline_wait: duration.prefault('8s'),
  /** How long a settled task can be asked for, in days on which the machine runs; never less than its `ttl`. */
  keep: days.prefault('7d'),
  /** Beyond this many tasks the oldest settled ones go earlier, once their `ttl` has passed again. */
  keep_at_most: z.int().min(100).max(100_000).default(20_000),
  /** Of how many days the dashboard can tell what was commanded. */
  history: days.prefault('365d'),
  /** Beyond this size the oldest days go earlier. */
  history_at_most: size.prefault('200MB'),
});

/** What these settings mean for what is kept. */
export function retentionOf(tasks: z.output<typeof tasksSchema>): Retention {
  const history = { days: tasks.history / DAY_MS, bytes: tasks.history_at_most };
  return { keepMs: tasks.keep, keepAtMost: tasks.keep_at_most, history };
}

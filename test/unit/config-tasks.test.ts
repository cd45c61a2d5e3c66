import { describe, expect, it } from 'vitest';
import { retentionOf, tasksSchema } from '../../gateway/config/schema-tasks.ts';

describe('what is kept of tasks', () => {
  it('is a week of twenty thousand, and a year of history, where nothing else is said', () => {
    expect(retentionOf(tasksSchema.parse({}))).toEqual({
      keepMs: 7 * 86_400_000,
      keepAtMost: 20_000,
      history: { days: 365, bytes: 200_000_000 },
    });
  });

  it('can be said in days, numbers and sizes', () => {
    const tasks = tasksSchema.parse({ keep: '1d', keep_at_most: 500, history: '0d', history_at_most: '2GB' });
    expect(retentionOf(tasks)).toEqual({ keepMs: 86_400_000, keepAtMost: 500, history: { days: 0, bytes: 2e9 } });
  });

  it.each([
    [{ keep: '7' }, 'is a number of days: 7d'],
    [{ keep: 7 }, 'expected string'],
    [{ history: '9999d' }, 'must be at most 3650d'],
    [{ keep_at_most: 1 }, '>=100'],
    [{ history_at_most: '200' }, 'is a whole number and its unit: 200MB or 1GB'],
  ])('is refused as %j, saying what is allowed', (tasks, what) => {
    expect(tasksSchema.safeParse(tasks).error?.message).toContain(what);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Polling } from '../../gateway/client/polling.ts';

describe('polling', () => {
  it('asks after each task at its own interval and never sooner, until there is no more to ask', async () => {
    const intervals: Readonly<Record<string, number>> = { quick: 10, slow: 40 };
    const asked = new Map<string, number[]>();
    await new Promise<void>((resolve) => {
      const polling = new Polling(async (taskId) => {
        const times = [...(asked.get(taskId) ?? []), performance.now()];
        asked.set(taskId, times);
        if ([...asked.values()].every(({ length }) => length >= 4) && asked.size === 2) resolve();
        return times.length < 4 ? (intervals[taskId] ?? null) : null;
      });
      polling.add('quick');
      polling.add('slow');
    });
    for (const [taskId, times] of asked) {
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      // Timers may be early by a fraction of a millisecond.
      expect(Math.min(...gaps)).toBeGreaterThan((intervals[taskId] ?? 0) - 2);
    }
  });

  it('has few questions under way at a time, and puts all of them', async () => {
    let underWay = 0;
    let most = 0;
    const asked: string[] = [];
    const all = Array.from({ length: 50 }, (_, at) => `task-${at}`);
    await new Promise<void>((resolve) => {
      const polling = new Polling(async (taskId) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await delay(1);
        underWay -= 1;
        asked.push(taskId);
        if (asked.length === all.length) resolve();
        return null;
      });
      for (const taskId of all) polling.add(taskId);
    });
    expect(most).toBe(8);
    expect(asked.toSorted()).toEqual(all.toSorted());
  });

  it('asks no more after a task that is removed, also while it is being asked after', async () => {
    let asked = 0;
    await new Promise<void>((resolve) => {
      const polling = new Polling(async () => {
        asked += 1;
        polling.remove('task');
        setTimeout(resolve, 20);
        return 1;
      });
      polling.add('task');
    });
    expect(asked).toBe(1);
  });
});

import { expect, it } from 'vitest';
import { Past } from '../../gateway/actuation/past.ts';
import type { Drifted } from '../../gateway/domain/drift.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { actuation, settledAt } from '../support/actuations.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const DAY_MS = 86_400_000;

const settled = (taskId: string, principal: string, wall = NOON) =>
  settledAt(actuation({ taskId, principal, createdWall: wall }), wall + 4_000);

const drift = (taskId: string): Drifted => ({
  ...{ type: 'drifted', taskId, deviceId: 'lounge_ac', field: 'fan_mode', from: 'low', to: 'high' },
  at: { mono: 9_000, wall: NOON + 8_000 },
});

it('tells a day from the store and from history, newest first, each command once and with its aftermath', async () => {
  const { tasks, history } = memoryHomeStore();
  const past = new Past(tasks, history, (taskId) => (taskId === 'd' ? [drift('d')] : []));
  await history.append([
    { actuation: settled('a', 'anna'), aftermath: [drift('a')] },
    { actuation: settled('b', 'ben'), aftermath: [] },
    { actuation: settled('long ago', 'anna', NOON - 300 * DAY_MS), aftermath: [] },
    // A crash left it in the store as well.
    { actuation: settled('c', 'anna'), aftermath: [] },
  ]);
  for (const taskId of ['c', 'd']) await tasks.put(settled(taskId, 'anna'));
  await tasks.put(actuation({ taskId: 'open', createdWall: NOON + DAY_MS }));
  expect(await past.days()).toEqual(['2026-11-30', '2026-02-03']);
  const told = async (principal: string | null) =>
    (await past.ofDay('2026-11-30', principal)).map((each) => [each.actuation.taskId, each.aftermath.length]);
  expect(await told('anna')).toEqual([
    ['d', 1],
    ['c', 0],
    ['a', 1],
  ]);
  expect((await told(null)).map(([taskId]) => taskId)).toEqual(['d', 'c', 'b', 'a']);
  expect(await told('nobody')).toEqual([]);
  expect(await past.ofDay('2026-12-01', null)).toEqual([]);
});

it('tells all of a day on which there was more than a page', async () => {
  const { tasks, history } = memoryHomeStore();
  const past = new Past(tasks, history, () => []);
  for (let count = 0; count < 1_005; count++) await tasks.put(settled(`t${count}`, 'anna'));
  const told = await past.ofDay('2026-11-30', null);
  expect(new Set(told.map((each) => each.actuation.taskId)).size).toBe(1_005);
});

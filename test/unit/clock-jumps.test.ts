import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../gateway/actuation/engine.ts';
import { newestKept } from '../../gateway/actuation/system-clock.ts';
import { result } from '../../gateway/domain/result.ts';
import { EARLIEST_MS, instant } from '../../gateway/domain/time.ts';
import { type HomeStore, openHomeStore } from '../../gateway/store/home-store.ts';
import { actuation, settledAt } from '../support/actuations.ts';
import { device, field, POLLED } from '../support/histories.ts';
import { quietLog } from '../support/logs.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { ScriptedDevice } from '../support/scripted-device.ts';
import { memoryTasks } from '../support/task-stores.ts';
import { quiet, VirtualClock } from '../support/virtual-clock.ts';

const TODAY = Date.UTC(2026, 10, 30, 12);
const HOUR_MS = 3_600_000;
const SPEC = device(
  [
    field('target_temperature', {
      ...{ min: 16, max: 30, step: 1, readback: POLLED },
      approval: { type: 'outside', low: 18, high: 28 },
    }),
  ],
  { pollMs: [1_000], watchMs: 20_000 },
);

type Step =
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'command'; readonly temperature: number }
  | { readonly type: 'obey'; readonly obeys: boolean }
  | { readonly type: 'restart' };
type Jump = { readonly before: number; readonly to: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('pass'), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('command'), temperature: fc.integer({ min: 16, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('obey'), obeys: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart') }) },
);

/** To where wall clocks are known to jump: from and to 1970, hours back, a day ahead, the end of an NTP era. */
const wall = fc.constantFrom(0, TODAY, TODAY - 2 * HOUR_MS, TODAY + 24 * HOUR_MS, Date.UTC(2036, 1, 7));
const jumps = fc.array(fc.record({ before: fc.nat(14), to: wall }), { maxLength: 8 });

/** Plays a script on the real store, while the wall clock does as it likes. @returns all that can be told without it */
async function play(steps: readonly Step[], jumping: readonly Jump[]): Promise<unknown> {
  let disk = new MemoryDisk();
  const clock = new VirtualClock();
  const ac = new ScriptedDevice(SPEC, clock, { target_temperature: 24 });
  const ids: string[] = [];
  const begin = async (): Promise<[Engine, HomeStore]> => {
    const kept = await openHomeStore({ folder: '/data', files: disk, compactAboveBytes: 10_000 });
    const { tasks: store, habits, aftermaths, history } = kept;
    const engine = new Engine({
      ...{ devices: { list: () => [ac], subscribe: () => () => {} }, store, habits, aftermaths, history, clock },
      ...{ log: quietLog, ttlMs: 60_000, approvalTtlMs: 30_000 },
    });
    await engine.start();
    return [engine, kept];
  };
  let [engine, kept] = await begin();
  for (const [place, each] of steps.entries()) {
    for (const jump of jumping) if (jump.before === place) clock.setWall(jump.to);
    if (each.type === 'pass') await clock.pass(each.ms);
    else if (each.type === 'obey') ac.obeys = each.obeys;
    else if (each.type === 'command') {
      const set = { target_temperature: each.temperature };
      ids.push((await engine.submit({ deviceId: 'ac', set, principal: 'anna' })).taskId);
    } else {
      await engine.stop();
      await kept.tasks.close();
      disk = disk.afterKill();
      [engine, kept] = await begin();
    }
    await quiet();
  }
  await clock.pass(600_000);
  const told = await engine.list({ principal: 'anna', limit: 100 });
  await engine.stop();
  return told.map((task) => ({
    place: ids.indexOf(task.taskId),
    outcome: task.outcome && { ...task.outcome, at: task.outcome.at.mono },
    elapsedMs: result(task).elapsed_ms,
    sends: task.sends,
  }));
}

describe('a wall clock that jumps', () => {
  it('changes no outcome, no moment of it and no order: nothing expires early, or never', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), jumps, async (steps, jumping) => {
        expect(await play(steps, jumping)).toEqual(await play(steps, []));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a wall clock that is not set', () => {
  it('is known by standing before every possible time, or shortly before one that was kept', () => {
    expect(instant(5, 0, 0)).toEqual({ mono: 5, wall: 0, clock: 'unset' });
    expect(instant(5, EARLIEST_MS - 1, 0).clock).toBe('unset');
    expect(instant(5, EARLIEST_MS, 0).clock).toBeUndefined();
    expect(instant(5, TODAY, TODAY + HOUR_MS).clock).toBe('unset');
    expect(instant(5, TODAY, TODAY).clock).toBeUndefined();
    // One that was ahead by years for a while does not make every time after it doubtful.
    expect(instant(5, TODAY, Date.UTC(2036, 1, 7)).clock).toBeUndefined();
  });

  it('is compared with the latest time that was set when it was kept', async () => {
    const tasks = memoryTasks();
    expect(await newestKept(tasks)).toBe(0);
    await tasks.put(settledAt(actuation({ taskId: 'a' }), TODAY));
    const unset = { mono: 1, wall: TODAY + HOUR_MS, clock: 'unset' } as const;
    await tasks.put({ ...actuation({ taskId: 'b' }), updatedAt: unset });
    expect(await newestKept(tasks)).toBe(TODAY);
  });

  it('is marked beside every time of a result that came from it, and no longer once it is set', async () => {
    const clock = new VirtualClock();
    clock.setWall(0);
    const ac = new ScriptedDevice(SPEC, clock, { target_temperature: 24 });
    const kept = await openHomeStore({ folder: '/data', files: new MemoryDisk() });
    const { tasks: store, habits, aftermaths, history } = kept;
    const engine = new Engine({
      ...{ devices: { list: () => [ac], subscribe: () => () => {} }, store, habits, aftermaths, history, clock },
      ...{ log: quietLog, ttlMs: 60_000, approvalTtlMs: 30_000 },
    });
    await engine.start();
    const verdictOf = async (temperature: number) => {
      const set = { target_temperature: temperature };
      const { taskId } = await engine.submit({ deviceId: 'ac', set, principal: 'anna' });
      await clock.pass(10_000);
      const settled = await engine.get(taskId, 'anna');
      return settled && result(settled).fields['target_temperature'];
    };
    expect(await verdictOf(26)).toMatchObject({
      verdict: 'verified',
      clock: 'unset',
      observed_at: expect.stringMatching(/^1970-01-01T/),
    });
    clock.setWall(TODAY);
    const later = await verdictOf(25);
    expect(later).toMatchObject({ verdict: 'verified', observed_at: expect.stringMatching(/^2026-11-30T12:/) });
    expect(later).not.toHaveProperty('clock');
    await engine.stop();
  });
});

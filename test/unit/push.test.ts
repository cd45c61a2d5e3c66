import { beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../../gateway/actuation/engine.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { ending } from '../support/device-home.ts';
import { device, field } from '../support/histories.ts';
import { ScriptedDevice } from '../support/scripted-device.ts';
import { quiet, VirtualClock } from '../support/virtual-clock.ts';

const BOTH_WAYS = { readable: true, push: true, askable: true, ackable: true } as const;
const SPEC = device([field('target_temperature', { min: 16, max: 30, step: 1, readback: BOTH_WAYS })], {
  pollMs: [1_000],
  echoMs: 0,
  settleMs: 2_000,
  deadlineMs: 10_000,
});
const PUSHED = { target_temperature: true };
const ASKED = { target_temperature: false };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('a field that is pushed over a way that can break', () => {
  let clock: VirtualClock;
  let ac: ScriptedDevice;
  let engine: Engine;
  const kept = { current: memoryHomeStore() };

  beforeEach(async () => {
    clock = new VirtualClock();
    ac = new ScriptedDevice(SPEC, clock, { target_temperature: 24 });
    ac.recall({ target_temperature: 24 });
    kept.current = memoryHomeStore();
    await begin();
  });

  async function begin(): Promise<void> {
    const { tasks: store, ...rest } = kept.current;
    const devices = { list: () => [ac], subscribe: () => () => {} };
    const lifetime = { ttlMs: 300_000, approvalTtlMs: 900_000 };
    engine = new Engine({ devices, store, ...rest, clock, log: silent, ...lifetime });
    await engine.start();
  }

  async function submit(): Promise<Actuation> {
    const task = await engine.submit({ deviceId: 'ac', set: { target_temperature: 22 }, principal: 'anna' });
    await clock.pass(0);
    return task;
  }

  async function end({ taskId }: Actuation): Promise<string> {
    const found = await engine.get(taskId, 'anna');
    return found?.outcome ? `${ending(found)} at ${found.outcome.at.mono}` : 'open';
  }

  it('is not asked for while it is pushed', async () => {
    ac.notePush(PUSHED);
    const task = await submit();
    await clock.pass(4_000);
    ac.report();
    await clock.pass(2_000);
    expect(await end(task)).toBe('verified at 6000');
    expect(ac.reads).toEqual([]);
  });

  it('is asked for, before the send and after it, where nothing pushes it at the time', async () => {
    ac.notePush(ASKED);
    // What was read this long ago says nothing of how it stands now.
    await clock.pass(1_000);
    const task = await submit();
    await clock.pass(7_000);
    expect(await end(task)).toMatch(/^verified/);
    expect(ac.reads.slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
  });

  it('is asked for from the moment at which the way breaks, and left alone once it is back', async () => {
    ac.notePush(PUSHED);
    const task = await submit();
    await clock.pass(2_500);
    ac.notePush(ASKED);
    await clock.pass(1_000);
    ac.notePush(PUSHED);
    await clock.pass(1_000);
    expect(ac.reads).toEqual([2_500, 3_500]);
    ac.report();
    await clock.pass(2_000);
    expect(await end(task)).toBe('verified at 6500');
    expect(ac.reads).toHaveLength(2);
  });

  it('has stayed only if a read finds it so, where the way broke within the settle time', async () => {
    ac.notePush(PUSHED);
    const task = await submit();
    await clock.pass(4_000);
    ac.report();
    ac.notePush(ASKED);
    ac.truth['target_temperature'] = 24;
    await clock.pass(10_000);
    expect(await end(task)).toBe('mismatch/reverted at 10000');
  });

  it('is asked for after a restart until it has been heard', async () => {
    ac.notePush(PUSHED);
    const task = await submit();
    await clock.pass(1_000);
    void engine.stop();
    ac.notePush(ASKED);
    await begin();
    await quiet();
    await clock.pass(6_000);
    expect(await end(task)).toMatch(/^verified/);
    expect(ac.reads.length).toBeGreaterThan(2);
  });
});

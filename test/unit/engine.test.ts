import { describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { StoreError, type TaskStore } from '../../gateway/domain/store.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { AIR_CONDITIONER, Bench } from '../support/engine-bench.ts';
import { device, field, option, POLLED } from '../support/histories.ts';
import { withPut } from '../support/task-stores.ts';
import { quiet } from '../support/virtual-clock.ts';

describe('a command', () => {
  it('is verified by a reading, with few reads and soon after the device moved', async () => {
    const bench = await new Bench().start();
    const task = await bench.submit({ target_temperature: 26 });
    expect(await bench.verdict(task)).toMatch(/queued|sending|verifying/);
    await bench.clock.pass(10_000);
    expect(await bench.verdict(task)).toBe('verified at 4000');
    expect(bench.ac.reads).toEqual([0, 2_000, 3_000, 3_500, 4_000]);
    expect(bench.ac.sends).toEqual([{ mono: 0, wants: { target_temperature: 26 } }]);
  });

  it('is ignored when the device answers and does not move, after one more read just before the deadline', async () => {
    const bench = await new Bench().start();
    bench.ac.obeys = false;
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(20_000);
    expect(await bench.verdict(task)).toBe('ignored at 10000');
    expect(bench.ac.reads.at(-1)).toBeGreaterThan(9_500);
    expect(bench.ac.reads.at(-1)).toBeLessThan(10_000);
  });

  it('lets the last read before the deadline come in, but waits no longer than a moment for it', async () => {
    const slow = await new Bench().start();
    Object.assign(slow.ac, { answerMs: 700, delayMs: 9_500 });
    const late = await slow.submit({ target_temperature: 26 });
    await slow.clock.pass(20_000);
    expect(await slow.verdict(late)).toMatch(/^verified at 10\d\d\d/);
    const hung = await new Bench().start();
    const lost = await hung.submit({ target_temperature: 26 });
    await hung.clock.pass(1_000);
    hung.ac.answerMs = 60_000;
    await hung.clock.pass(20_000);
    expect(await hung.verdict(lost)).toBe('unreachable at 11000');
  });

  it('is unreachable when nothing answers, and still sent once', async () => {
    const bench = await new Bench().start();
    bench.ac.answers = false;
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(20_000);
    expect(await bench.verdict(task)).toBe('unreachable at 10000');
    expect(bench.ac.sends).toHaveLength(1);
  });

  it('that the plan refuses is a settled record at once, and nothing is sent', async () => {
    const bench = await new Bench().start();
    const task = await bench.submit({ target_temperature: 35 });
    expect(task.outcome).toMatchObject({ verdict: 'rejected', reason: 'out_of_range' });
    expect(task.refusal?.message).toContain('allowed: 16 to 30 in steps of 1');
    await bench.clock.pass(20_000);
    expect(bench.ac.sends).toEqual([]);
    expect((await bench.engine.get(task.taskId, 'anna'))?.outcome).toEqual(task.outcome);
  });

  it('belongs to its principal', async () => {
    const bench = await new Bench().start();
    const task = await bench.submit({ target_temperature: 26 });
    expect(await bench.engine.get(task.taskId, 'bob')).toBeUndefined();
    expect(await bench.engine.cancel(task.taskId, 'bob')).toBeUndefined();
    await bench.clock.pass(10_000);
    expect(await bench.verdict(task)).toBe('verified at 4000');
  });

  it('ends as a fault of ours when the device breaks its promise, and the next one goes on', async () => {
    const bench = await new Bench().start();
    bench.ac.onSend = () => Promise.reject(new Error('a bug'));
    const broken = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(10);
    expect(await bench.verdict(broken)).toBe('failed');
    bench.ac.onSend = null;
    const next = await bench.submit({ target_temperature: 27 });
    await bench.clock.pass(10_000);
    expect(await bench.verdict(next)).toMatch(/^verified/);
  });
});

describe('the queue', () => {
  it('has one command in flight per device', async () => {
    const bench = await new Bench().start();
    const first = await bench.submit({ target_temperature: 26 });
    const second = await bench.submit({ fan_mode: 'high' });
    await bench.clock.pass(3_999);
    expect(bench.ac.sends).toHaveLength(1);
    await bench.clock.pass(20_000);
    expect(await bench.verdict(first)).toBe('verified at 4000');
    expect(bench.ac.sends[1]).toEqual({ mono: 4_000, wants: { fan_mode: 'high' } });
    expect(await bench.verdict(second)).toBe('verified at 8000');
  });

  it('keeps min_gap between two commands', async () => {
    const bench = await new Bench({ ...AIR_CONDITIONER, minGapMs: 6_000 }).start();
    await bench.submit({ target_temperature: 26 });
    await bench.submit({ fan_mode: 'high' });
    await bench.clock.pass(20_000);
    expect(bench.ac.sends.map((send) => send.mono)).toEqual([0, 6_000]);
  });

  it('lets a newer command for the same field take over, sent or not', async () => {
    const bench = await new Bench().start();
    const first = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(1_000);
    const second = await bench.submit({ fan_mode: 'high', target_temperature: 27 });
    const third = await bench.submit({ target_temperature: 28 });
    await bench.clock.pass(20_000);
    expect(await bench.verdict(first)).toBe('superseded at 1000');
    expect(await bench.verdict(second)).toBe('superseded at 1000');
    expect(await bench.verdict(third)).toMatch(/^verified/);
    expect(bench.ac.truth['target_temperature']).toBe(28);
  });
});

describe('cancelling', () => {
  it('stops the tracking, and it stays cancelled although the device acts', async () => {
    const bench = await new Bench().start();
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(100);
    const cancelled = await bench.engine.cancel(task.taskId, 'anna');
    expect(cancelled?.outcome).toMatchObject({ type: 'cancelled', sent: true });
    await bench.clock.pass(6_000);
    expect(bench.ac.truth['target_temperature']).toBe(26);
    expect(await bench.verdict(task)).toBe('cancelled');
    expect(await bench.engine.cancel(task.taskId, 'anna')).toEqual(cancelled);
  });

  it('keeps a waiting command from being sent', async () => {
    const bench = await new Bench().start();
    await bench.submit({ target_temperature: 26 });
    const waiting = await bench.submit({ fan_mode: 'high' });
    const cancelled = await bench.engine.cancel(waiting.taskId, 'anna');
    expect(cancelled?.outcome).toMatchObject({ type: 'cancelled', sent: false });
    await bench.clock.pass(20_000);
    expect(bench.ac.sends).toHaveLength(1);
  });

  it('says that nothing was sent where it overtakes the intent on its way to the disk', async () => {
    const store = memoryHomeStore().tasks;
    let intent = (_: Actuation) => {};
    const sending = new Promise<Actuation>((resolve) => {
      intent = resolve;
    });
    let letThrough = () => {};
    const gate = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    const slow = withPut(store, async (actuation) => {
      if (actuation.phase === 'sending') {
        intent(actuation);
        await gate;
      }
      await store.put(actuation);
    });
    const bench = await new Bench(AIR_CONDITIONER, slow).start();
    await bench.submit({ target_temperature: 26 });
    const { taskId } = await sending;
    const cancelling = bench.engine.cancel(taskId, 'anna');
    await quiet();
    letThrough();
    expect((await cancelling)?.outcome).toMatchObject({ type: 'cancelled', sent: false });
    await bench.clock.pass(20_000);
    expect(bench.ac.sends).toEqual([]);
  });
});

describe('approval', () => {
  const delicate = device([field('target_temperature', { readback: POLLED, approval: { type: 'always' } })], {
    pollMs: [1_000],
  });

  it('sends nothing before yes, survives a restart, and lets the first answer win', async () => {
    const bench = await new Bench(delicate).start();
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(60_000);
    expect(bench.ac.sends).toEqual([]);
    await bench.restart();
    expect(await bench.verdict(task)).toBe('awaiting_approval');
    await bench.engine.answer(task.taskId, 'anna', { approved: true, by: 'anna', through: 'cli' });
    await expect(
      bench.engine.answer(task.taskId, 'anna', { approved: false, by: 'bob', through: 'cli' }),
    ).rejects.toMatchObject({ code: 'not_waiting' });
    await bench.clock.pass(10_000);
    expect(bench.ac.sends).toHaveLength(1);
    expect(await bench.verdict(task)).toMatch(/^verified/);
  });

  it('is asked with what is there now, looked up before the question is put', async () => {
    const bench = await new Bench(delicate).start();
    const task = await bench.submit({ target_temperature: 26 });
    expect(task.approval?.question).toContain('target_temperature from 24 to 26');
    expect(bench.ac.reads).toEqual([0]);
    await bench.clock.pass(60_000);
    bench.ac.truth['target_temperature'] = 22;
    expect((await bench.submit({ target_temperature: 27 })).approval?.question).toContain('from 22 to 27');
  });

  it('is asked without the old value where the device does not tell it in time', async () => {
    const bench = await new Bench(delicate).start();
    bench.ac.answerMs = 60_000;
    const submitted = bench.submit({ target_temperature: 26 });
    await bench.clock.pass(2_000);
    expect((await submitted).approval?.question).toContain('target_temperature to 26');
  });

  it('lists what waits, whoever asked, in the order in which it was asked, also after a restart', async () => {
    const bench = await new Bench(delicate).start();
    const first = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(1_000);
    const second = await bench.engine.submit({ deviceId: 'ac', set: { target_temperature: 27 }, principal: 'bob' });
    const ids = async () => (await bench.engine.waiting()).map((task) => task.taskId);
    expect(await ids()).toEqual([first.taskId, second.taskId]);
    await bench.restart();
    expect(await ids()).toEqual([first.taskId, second.taskId]);
    await bench.engine.answer(second.taskId, 'bob', { approved: false, by: 'anna', through: 'cli' });
    expect(await ids()).toEqual([first.taskId]);
  });
});

it('lists the commands of one principal, newest first, in pages, as they are now', async () => {
  const bench = await new Bench().start();
  const older = await bench.submit({ target_temperature: 26 });
  await bench.engine.submit({ deviceId: 'ac', set: { target_temperature: 20 }, principal: 'bob' });
  const newer = await bench.submit({ fan_mode: 'high' });
  await bench.clock.pass(1_000);
  const page = await bench.engine.list({ principal: 'anna', limit: 1 });
  expect(page.map((task) => task.taskId)).toEqual([newer.taskId]);
  expect(
    (await bench.engine.list({ principal: 'anna', limit: 5, after: newer.taskId })).map((task) => task.taskId),
  ).toEqual([older.taskId]);
  expect(page).toEqual([await bench.engine.get(newer.taskId, 'anna')]);
  expect(await bench.engine.list({ principal: 'anna', limit: 5, after: 'nobody-knows-me' })).toEqual([]);
});

describe('a door that has made sure of an admin', () => {
  it("sees, cancels and follows everybody's commands, and lists them by device and verdict", async () => {
    const bench = await new Bench().start();
    const refused = await bench.submit({ target_temperature: 35 });
    const open = await bench.engine.submit({ deviceId: 'ac', set: { target_temperature: 26 }, principal: 'bob' });
    const ids = async (query: object) =>
      (await bench.engine.list({ principal: null, limit: 9, ...query })).map(({ taskId }) => taskId);
    expect(await ids({})).toEqual([open.taskId, refused.taskId]);
    expect(await ids({ verdict: 'rejected' })).toEqual([refused.taskId]);
    expect(await ids({ open: true })).toEqual([open.taskId]);
    expect(await ids({ deviceId: 'fan' })).toEqual([]);
    expect((await bench.engine.get(open.taskId, null))?.principal).toBe('bob');
    expect((await bench.engine.cancel(open.taskId, null))?.outcome?.type).toBe('cancelled');
    expect(await bench.engine.aftermath(open.taskId, null)).toEqual([]);
  });
});

it('tells what is known of a device without asking it', async () => {
  const bench = await new Bench().start();
  expect(bench.engine.view('ac')).toMatchObject({ spec: { id: 'ac' }, reachable: true });
  expect(bench.engine.view('attic')).toBeUndefined();
  expect(bench.ac.reads).toEqual([]);
});

describe('after a restart', () => {
  it('goes on reading under the same handle, and never sends again', async () => {
    const bench = await new Bench().start();
    const task = await bench.submit({ target_temperature: 26 });
    const waiting = await bench.submit({ fan_mode: 'high' });
    await bench.clock.pass(1_000);
    await bench.restart();
    await bench.clock.pass(30_000);
    expect(await bench.verdict(task)).toMatch(/^verified/);
    expect(await bench.verdict(waiting)).toMatch(/^verified/);
    expect(bench.ac.sends.map((send) => Object.keys(send.wants))).toEqual([['target_temperature'], ['fan_mode']]);
  });

  it('says outcome unknown when the crash fell into the send and nothing moves', async () => {
    const bench = await new Bench().start();
    bench.ac.onSend = () => new Promise(() => {});
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(10);
    expect(await bench.verdict(task)).toBe('sending');
    await bench.restart();
    await bench.clock.pass(30_000);
    const found = await bench.engine.get(task.taskId, 'anna');
    expect(found?.outcome).toMatchObject({ verdict: 'unconfirmed', reason: 'outcome_unknown' });
    expect(bench.ac.sends).toHaveLength(1);
  });
});

describe('when the disk fails', () => {
  function flaky(): TaskStore & { broken: boolean } {
    const inner = memoryHomeStore().tasks;
    const put = (actuation: Actuation) =>
      store.broken ? Promise.reject(new StoreError('unwritable', 'the disk is full')) : inner.put(actuation);
    const store = { ...withPut(inner, put), broken: false };
    return store;
  }

  it('takes no command, sends none whose intent is not stored, and tells no verdict that is not', async () => {
    const store = flaky();
    const bench = await new Bench(AIR_CONDITIONER, store).start();
    store.broken = true;
    await expect(bench.submit({ target_temperature: 26 })).rejects.toMatchObject({ code: 'store_unavailable' });
    store.broken = false;
    const task = await bench.submit({ target_temperature: 26 });
    store.broken = true;
    await bench.clock.pass(5_000);
    expect(bench.ac.sends).toEqual([]);
    store.broken = false;
    await bench.clock.pass(2_000);
    expect(bench.ac.sends).toHaveLength(1);
    store.broken = true;
    await bench.clock.pass(6_000);
    expect(await bench.verdict(task)).not.toMatch(/^verified/);
    store.broken = false;
    await bench.clock.pass(2_000);
    expect(await bench.verdict(task)).toMatch(/^verified/);
  });
});

describe('waiting', () => {
  it('ends with the verdict, at the bound, or when the waiter leaves', async () => {
    const bench = await new Bench().start();
    const task = await bench.submit({ target_temperature: 26 });
    const bounded = bench.engine.settled(task.taskId, 'anna', 1_000);
    const leaving = new AbortController();
    const left = bench.engine.settled(task.taskId, 'anna', 60_000, leaving.signal);
    const whole = bench.engine.settled(task.taskId, 'anna', 60_000);
    await bench.clock.pass(1_500);
    expect((await bounded)?.outcome).toBeNull();
    leaving.abort();
    expect((await left)?.outcome).toBeNull();
    await bench.clock.pass(10_000);
    expect((await whole)?.outcome).toMatchObject({ verdict: 'verified' });
    expect(await bench.engine.settled('nobody', 'anna', 1_000)).toBeUndefined();
  });
});

describe('after the verdict', () => {
  const watched = device(
    [
      field('target_temperature', { min: 16, max: 30, step: 1, readback: POLLED }),
      option('fan_mode', ['auto', 'low', 'high'], { readback: POLLED }),
    ],
    { pollMs: [1_000], watchMs: 120_000 },
  );
  const drifts = async (bench: Bench, task: Actuation) =>
    (await bench.engine.aftermath(task.taskId, 'anna')).map(({ field, from, to }) => ({ field, from, to }));

  it('a value that does not last is an event of its own, told once, and the verdict stays', async () => {
    const bench = await new Bench(watched).start();
    const heard: string[] = [];
    bench.engine.onDrift((event) => heard.push(event.field));
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(10_000);
    const settled = await bench.engine.get(task.taskId, 'anna');
    bench.ac.truth['target_temperature'] = 22;
    await bench.clock.pass(100_000);
    expect(await drifts(bench, task)).toEqual([{ field: 'target_temperature', from: 26, to: 22 }]);
    expect(heard).toEqual(['target_temperature']);
    expect(await bench.engine.get(task.taskId, 'anna')).toBe(settled);
    expect(await bench.engine.aftermath(task.taskId, 'bob')).toEqual([]);
  });

  it('two values that do not last are both kept, however slow the disk is', async () => {
    const bench = await new Bench(watched).start();
    const task = await bench.submit({ target_temperature: 26, fan_mode: 'high' });
    await bench.clock.pass(10_000);
    const { aftermaths } = bench.kept;
    const put = aftermaths.put.bind(aftermaths);
    aftermaths.put = async (key, value) => {
      await new Promise<void>((resolve) => bench.clock.at(bench.clock.now().mono + 50, resolve));
      await put(key, value);
    };
    bench.ac.truth['target_temperature'] = 22;
    bench.ac.report();
    bench.ac.truth['fan_mode'] = 'low';
    bench.ac.report();
    await bench.clock.pass(1_000);
    expect(await drifts(bench, task)).toEqual([
      { field: 'target_temperature', from: 26, to: 22 },
      { field: 'fan_mode', from: 'high', to: 'low' },
    ]);
  });

  it('a newer command for the field is no drift, and neither is what comes after the watch', async () => {
    const bench = await new Bench(watched).start();
    const first = await bench.submit({ target_temperature: 26, fan_mode: 'high' });
    await bench.clock.pass(10_000);
    await bench.submit({ target_temperature: 28 });
    await bench.clock.pass(20_000);
    bench.ac.truth['fan_mode'] = 'low';
    await bench.clock.pass(60_000);
    expect(await drifts(bench, first)).toEqual([{ field: 'fan_mode', from: 'high', to: 'low' }]);
    await bench.clock.pass(200_000);
    const reads = bench.ac.reads.length;
    await bench.clock.pass(600_000);
    expect(bench.ac.reads).toHaveLength(reads);
  });

  it('goes on being watched over a restart', async () => {
    const bench = await new Bench(watched).start();
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(10_000);
    await bench.restart();
    bench.ac.truth['target_temperature'] = 22;
    await bench.clock.pass(60_000);
    expect(await drifts(bench, task)).toEqual([{ field: 'target_temperature', from: 26, to: 22 }]);
  });
});

describe('a restart between two commands for a field', () => {
  const watched = device([field('target_temperature', { min: 16, max: 30, step: 1, readback: POLLED })], {
    pollMs: [1_000],
    watchMs: 120_000,
  });

  it('takes no later command for a drift of an earlier one, whatever became of it', async () => {
    for (const obeys of [true, false]) {
      const bench = await new Bench(watched).start();
      const first = await bench.submit({ target_temperature: 26 });
      await bench.clock.pass(10_000);
      bench.ac.obeys = obeys;
      const second = await bench.submit({ target_temperature: 28 });
      await bench.clock.pass(1_000);
      if (!obeys) bench.ac.truth['target_temperature'] = 27;
      await bench.clock.pass(19_000);
      await bench.restart();
      await bench.clock.pass(100_000);
      expect(await bench.verdict(second)).toMatch(obeys ? /^verified/ : /^mismatch/);
      expect(await bench.engine.aftermath(first.taskId, 'anna')).toEqual([]);
      expect(await bench.engine.aftermath(second.taskId, 'anna')).toEqual([]);
    }
  });
});

describe('polling', () => {
  it('learns how long a device takes, over restarts too, and is hardly late with few reads', async () => {
    const bench = await new Bench({
      ...AIR_CONDITIONER,
      verify: { ...AIR_CONDITIONER.verify, pollMs: [2_000, 1_000, 1_000] },
    }).start();
    bench.ac.delayMs = 4_300;
    for (let round = 0; round < 5; round += 1) {
      await bench.submit({ target_temperature: 20 + round });
      await bench.clock.pass(60_000);
    }
    await bench.restart();
    expect(bench.engine.usualMs('ac', ['target_temperature'])).toBeGreaterThan(4_200);
    const reads = bench.ac.reads.length;
    const began = bench.clock.now().mono;
    const task = await bench.submit({ target_temperature: 27 });
    await bench.clock.pass(10_000);
    const found = await bench.engine.get(task.taskId, 'anna');
    expect(found?.outcome?.at.mono).toBeLessThanOrEqual(began + 4_450);
    expect(bench.ac.reads.length - reads).toBeLessThanOrEqual(6);
  });
});

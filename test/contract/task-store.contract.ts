import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TaskStore } from '../../gateway/domain/store.ts';
import { actuation, settledAt } from '../support/actuations.ts';

/** One implementation of the port, on a place of its own. */
export interface TaskStoreUnderTest {
  /** Opens the store; a second call, after a close, opens the same place again. */
  open(): Promise<TaskStore>;
  /** Whether records outlive a close. */
  readonly durable: boolean;
  cleanUp(): Promise<void>;
}

/** What every task store must do. */
export function taskStoreContract(name: string, make: () => Promise<TaskStoreUnderTest>): void {
  describe(`${name} keeps the contract of a task store`, () => {
    let place: TaskStoreUnderTest;
    let store: TaskStore;

    beforeEach(async () => {
      place = await make();
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.cleanUp();
    });

    const ids = async (query: Omit<Parameters<TaskStore['list']>[0], 'limit'> & { limit?: number } = {}) =>
      (await store.list({ limit: 1000, ...query })).map((task) => task.taskId);

    it('gives back what was put, whole', async () => {
      const record = actuation({ taskId: 'a', set: { target_temperature: 26, fan_mode: 'high' } });
      await store.put(record);
      expect(await store.get('a')).toEqual(record);
    });

    it('keeps refused commands and every kind of text', async () => {
      const record = {
        ...actuation({ taskId: 'a', set: { target_temperature: 99 } }),
        deviceName: 'Küche "Ost"\n\u2028\u0000 🌡',
      };
      await store.put(record);
      expect(await store.get('a')).toEqual(record);
      expect(record.outcome).not.toBeNull();
    });

    it('knows nothing of an unknown id', async () => {
      expect(await store.get('nobody')).toBeUndefined();
      expect(await store.get('__proto__')).toBeUndefined();
      expect(await ids()).toEqual([]);
    });

    it('replaces a record, and keeps its place in the list', async () => {
      const first = actuation({ taskId: 'a' });
      await store.put(first);
      await store.put(actuation({ taskId: 'b' }));
      await store.put(settledAt(first, 1));
      expect(await store.get('a')).toEqual(settledAt(first, 1));
      expect(await ids()).toEqual(['b', 'a']);
    });

    it('keeps puts of one task in the order of the calls, though nobody waits for them', async () => {
      const record = actuation({ taskId: 'a' });
      await Promise.all(Array.from({ length: 50 }, (_, reads) => store.put({ ...record, reads })));
      expect((await store.get('a'))?.reads).toBe(49);
    });

    it('lists newest first in the order of creation, whatever the wall clock said', async () => {
      await store.put(actuation({ taskId: 'today', createdWall: 1_750_000_000_000 }));
      await store.put(actuation({ taskId: 'in 1970', createdWall: 5 }));
      await store.put(actuation({ taskId: 'later' }));
      expect(await ids()).toEqual(['later', 'in 1970', 'today']);
    });

    it('lists by principal, by device and by whether it is settled', async () => {
      await store.put(actuation({ taskId: 'a', principal: 'anna', deviceId: 'ac' }));
      await store.put(actuation({ taskId: 'b', principal: 'bert', deviceId: 'ac' }));
      await store.put(settledAt(actuation({ taskId: 'c', principal: 'anna', deviceId: 'fan' }), 1));
      await store.put(settledAt(actuation({ taskId: 'd', principal: 'bert', deviceId: 'fan' }), 1));
      expect(await ids({ principal: 'anna' })).toEqual(['c', 'a']);
      expect(await ids({ deviceId: 'fan' })).toEqual(['d', 'c']);
      expect(await ids({ open: true })).toEqual(['b', 'a']);
      expect(await ids({ open: false })).toEqual(['d', 'c']);
      expect(await ids({ principal: 'anna', deviceId: 'ac', open: true })).toEqual(['a']);
      expect(await ids({ principal: 'nobody' })).toEqual([]);
    });

    it('lists by verdict, which open and cancelled commands do not have', async () => {
      await store.put(actuation({ taskId: 'open' }));
      await store.put(settledAt(actuation({ taskId: 'verified' }), 1));
      await store.put(actuation({ taskId: 'rejected', set: { target_temperature: 99 } }));
      const cancelled = { type: 'cancelled' as const, sent: false, at: { mono: 1, wall: 1 } };
      await store.put({ ...actuation({ taskId: 'cancelled' }), phase: 'settled', outcome: cancelled });
      expect(await ids({ verdict: 'verified' })).toEqual(['verified']);
      expect(await ids({ verdict: 'rejected' })).toEqual(['rejected']);
      expect(await ids({ verdict: 'mismatch' })).toEqual([]);
      expect(await ids({ verdict: 'verified', open: true })).toEqual([]);
    });

    it('pages through a filtered list without gap or repetition', async () => {
      const made = Array.from({ length: 25 }, (_, index) => `t${index}`);
      for (const [index, taskId] of made.entries()) {
        await store.put(actuation({ taskId, principal: index % 2 === 0 ? 'anna' : 'bert' }));
      }
      const expected = made.filter((_, index) => index % 2 === 0).reverse();
      const seen: string[] = [];
      for (;;) {
        const after = seen.at(-1);
        const page = await ids({ principal: 'anna', limit: 4, ...(after !== undefined && { after }) });
        expect(page.length).toBeLessThanOrEqual(4);
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toEqual(expected);
    });

    it('goes on after a task that no longer matches, and gives nothing after one that is gone', async () => {
      const middle = actuation({ taskId: 'b' });
      await store.put(actuation({ taskId: 'a' }));
      await store.put(middle);
      await store.put(actuation({ taskId: 'c' }));
      await store.put(settledAt(middle, 1));
      expect(await ids({ open: true, after: 'b' })).toEqual(['a']);
      await store.remove(['b']);
      expect(await ids({ after: 'b' })).toEqual([]);
    });

    it('lists oldest first where that is asked for, page by page', async () => {
      for (const taskId of ['a', 'b', 'c', 'd']) await store.put(actuation({ taskId }));
      await store.put(settledAt(actuation({ taskId: 'b' }), 1));
      expect(await ids({ oldestFirst: true })).toEqual(['a', 'b', 'c', 'd']);
      expect(await ids({ oldestFirst: true, open: true, limit: 2 })).toEqual(['a', 'c']);
      expect(await ids({ oldestFirst: true, after: 'b' })).toEqual(['c', 'd']);
    });

    it('forgets the tasks it is told to, and counts the others', async () => {
      for (const taskId of ['a', 'b', 'c']) await store.put(actuation({ taskId }));
      await store.remove(['a', 'nobody', 'c']);
      expect(await store.count()).toBe(1);
      expect(await store.get('a')).toBeUndefined();
      expect(await ids()).toEqual(['b']);
    });

    it('tells on which days its settled tasks were made, and which those were', async () => {
      const noon = Date.UTC(2026, 10, 30, 12);
      const dayMs = 86_400_000;
      const settled = (taskId: string, wall: number) => settledAt(actuation({ taskId, createdWall: wall }), wall + 1);
      await store.put(settled('a', noon));
      await store.put(settled('b', noon - 12 * 3_600_000));
      await store.put(settled('c', noon - dayMs));
      await store.put(actuation({ taskId: 'open', createdWall: noon + dayMs }));
      const days = await store.days();
      expect(days).toEqual(['2026-11-30', '2026-11-29']);
      expect(await ids({ day: '2026-11-30' })).toEqual(['b', 'a']);
      expect(await ids({ day: '2026-11' })).toEqual([]);
    });

    it('holds ten thousand tasks', async () => {
      const many = Array.from({ length: 10_000 }, (_, index) => actuation({ taskId: `t${index}` }));
      await Promise.all(many.map((record) => store.put(record)));
      expect(await store.get('t5000')).toEqual(many[5000]);
      expect(await ids({ limit: 3 })).toEqual(['t9999', 't9998', 't9997']);
      expect(await ids({ after: 't1', limit: 3 })).toEqual(['t0']);
    });

    it('finishes what was begun when it is closed, and then refuses', async () => {
      const begun = store.put(actuation({ taskId: 'a' }));
      await store.close();
      await begun;
      const refusal = { name: 'StoreError', kind: 'closed' };
      await expect(store.put(actuation({ taskId: 'b' }))).rejects.toMatchObject(refusal);
      await expect(store.get('a')).rejects.toMatchObject(refusal);
      await expect(store.list({ limit: 1 })).rejects.toMatchObject(refusal);
      await expect(store.remove(['a'])).rejects.toMatchObject(refusal);
      await expect(store.count()).rejects.toMatchObject(refusal);
      await expect(store.days()).rejects.toMatchObject(refusal);
      await store.close();
    });

    it('has the same records, in the same order, when it is opened again', async ({ skip }) => {
      skip(!place.durable);
      const records = ['a', 'b', 'c', 'd'].map((taskId) => actuation({ taskId }));
      for (const record of records) await store.put(record);
      await store.put(settledAt(actuation({ taskId: 'a' }), 5));
      await store.remove(['b']);
      const before = await store.list({ limit: 10 });
      await store.close();
      store = await place.open();
      expect(await store.list({ limit: 10 })).toEqual(before);
      expect(before.map((task) => task.taskId)).toEqual(['d', 'c', 'a']);
    });
  });
}

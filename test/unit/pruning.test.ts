import { describe, expect, it } from 'vitest';
import { Pruning } from '../../gateway/actuation/pruning.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { Drifted } from '../../gateway/domain/drift.ts';
import type { Retention } from '../../gateway/domain/retention.ts';
import { type HomeStore, openHomeStore } from '../../gateway/store/home-store.ts';
import { actuation, settledAt } from '../support/actuations.ts';
import { RecordingLog } from '../support/logs.ts';
import { diskError, MemoryDisk } from '../support/memory-disk.ts';
import { quiet, VirtualClock } from '../support/virtual-clock.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const TTL_MS = 300_000;
const RETENTION: Retention = { keepMs: 7 * HOUR_MS, keepAtMost: 1_000, history: { days: 365, bytes: 1e9 } };

/** A store on a disk in memory, with what bounds it, over boots and kills. */
class Bench {
  disk = new MemoryDisk();
  clock = new VirtualClock();
  kept: HomeStore;
  pruning: Pruning;
  readonly log = new RecordingLog();
  readonly #retention: Retention;

  private constructor(kept: HomeStore, disk: MemoryDisk, retention: Partial<Retention>) {
    this.kept = kept;
    this.disk = disk;
    this.#retention = { ...RETENTION, ...retention };
    this.pruning = this.#begin();
  }

  static async start(retention: Partial<Retention> = {}): Promise<Bench> {
    const disk = new MemoryDisk();
    return new Bench(await openHomeStore({ folder: '/data', files: disk }), disk, retention);
  }

  /** The process is killed and started again; a new clock is a new boot. */
  async restart(clock = this.clock): Promise<void> {
    void this.pruning.stop();
    this.disk = this.disk.afterKill();
    this.clock = clock;
    this.kept = await openHomeStore({ folder: '/data', files: this.disk });
    this.pruning = this.#begin();
  }

  /** A command that is made and verified now. */
  async settle(taskId: string): Promise<Actuation> {
    const now = this.clock.now();
    const made = actuation({ taskId });
    const record = { ...settledAt(made, now.wall), boot: this.clock.boot, createdAt: now, updatedAt: now };
    const settled = { ...record, outcome: { type: 'verdict', verdict: 'verified', reason: null, at: now } } as const;
    await this.kept.tasks.put(settled);
    return settled;
  }

  /** Lets time pass, a minute at a time, and every pass over what is old come to its end. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 60_000) {
      await this.clock.pass(Math.min(left, 60_000));
      for (let round = 0; round < 6; round++) await quiet();
    }
  }

  async ids(): Promise<string[]> {
    return (await this.kept.tasks.list({ limit: 1_000 })).map((task) => task.taskId);
  }

  async past(): Promise<string[]> {
    const days = await Promise.all((await this.kept.history.days()).map((day) => this.kept.history.read(day)));
    return days.flat().map((past) => past.actuation.taskId);
  }

  #begin(): Pruning {
    const { tasks, aftermaths, habits, ages, history } = this.kept;
    const pruning = new Pruning({
      ...{ tasks, aftermaths, habits, ages, history, clock: this.clock, log: this.log },
      isDevice: (id) => id === 'lounge_ac',
      retention: this.#retention,
    });
    pruning.start();
    return pruning;
  }
}

describe('what is old', () => {
  it('goes into history and out of the store, with its aftermath, and not before its time', async () => {
    const bench = await Bench.start();
    const settled = await bench.settle('a');
    const at = bench.clock.now();
    const drift: Drifted = { type: 'drifted', taskId: 'a', deviceId: 'x', field: 'y', from: 1, to: 2, at };
    await bench.kept.aftermaths.put('a', { taskId: 'a', events: [drift] });
    await bench.kept.tasks.put(actuation({ taskId: 'open' }));
    await bench.pass(7 * HOUR_MS - QUARTER_MS);
    expect(await bench.ids()).toEqual(['open', 'a']);
    await bench.pass(3 * QUARTER_MS);
    expect(await bench.ids()).toEqual(['open']);
    expect(await bench.kept.history.read('2026-11-30')).toEqual([{ actuation: settled, aftermath: [drift] }]);
    expect([...bench.kept.aftermaths.keys()]).toEqual([]);
  });

  it('goes earlier where there are too many, oldest first, and never before its lifetime has passed again', async () => {
    const bench = await Bench.start({ keepAtMost: 100 });
    for (let count = 0; count < 250; count++) await bench.settle(`t${count}`);
    await bench.kept.tasks.put(actuation({ taskId: 'open' }));
    await bench.pass(TTL_MS - 1);
    expect(await bench.kept.tasks.count()).toBe(251);
    await bench.pass(120_000);
    expect(await bench.kept.tasks.count()).toBe(100);
    expect((await bench.ids()).slice(0, 2)).toEqual(['open', 't249']);
    expect((await bench.past()).length).toBe(151);
  });

  it('lets nothing that may not go yet stand before what may', async () => {
    const bench = await Bench.start({ keepAtMost: 10 });
    for (let count = 0; count < 80; count++) {
      const settled = await bench.settle(`watched ${count}`);
      await bench.kept.tasks.put({ ...settled, rules: { ...settled.rules, watchMs: HOUR_MS } });
    }
    for (let count = 0; count < 80; count++) await bench.settle(`t${count}`);
    await bench.pass(2 * TTL_MS);
    expect(await bench.kept.tasks.count()).toBe(80);
    expect((await bench.ids()).filter((id) => id.startsWith('t'))).toEqual([]);
  });
});

describe('a wall clock', () => {
  it('that jumps by years makes nothing older, and one that is not set nothing younger', async () => {
    const bench = await Bench.start();
    bench.clock.setWall(0);
    await bench.settle('in 1970');
    await bench.pass(QUARTER_MS);
    bench.clock.setWall(Date.UTC(2036, 1, 7));
    await bench.settle('in 2036');
    await bench.pass(HOUR_MS);
    bench.clock.setWall(Date.UTC(2026, 10, 30));
    await bench.settle('today');
    await bench.pass(HOUR_MS);
    expect(await bench.ids()).toEqual(['today', 'in 2036', 'in 1970']);
    await bench.pass(5 * HOUR_MS + 2 * QUARTER_MS);
    expect(await bench.ids()).toEqual(['today']);
    await bench.pass(HOUR_MS);
    expect(await bench.ids()).toEqual([]);
    expect(await bench.past()).toEqual(['in 2036', 'today', 'in 1970']);
  });

  it('does not age what settled in an earlier boot by the time that the machine was off', async () => {
    const bench = await Bench.start();
    await bench.settle('before');
    await bench.pass(HOUR_MS);
    const later = new VirtualClock('boot-2');
    later.setWall(Date.UTC(2029, 0, 1));
    await bench.restart(later);
    await bench.pass(5 * HOUR_MS);
    expect(await bench.ids()).toEqual(['before']);
    await bench.pass(HOUR_MS + 3 * QUARTER_MS);
    expect(await bench.ids()).toEqual([]);
  });
});

describe('when something goes wrong', () => {
  it('keeps a task in one place at least, whatever operation the process is killed in, and shows it once', async () => {
    for (let operation = 1; operation <= 40; operation++) {
      const bench = await Bench.start({ keepAtMost: 2 });
      for (let count = 0; count < 5; count++) await bench.settle(`t${count}`);
      await bench.pass(TTL_MS - 2);
      bench.disk.killAt = bench.disk.operations + operation;
      await bench.pass(60_000);
      await bench.restart();
      const everywhere = [...(await bench.past()), ...(await bench.ids())];
      expect([...new Set(everywhere)].sort()).toEqual(['t0', 't1', 't2', 't3', 't4']);
      await bench.pass(2 * TTL_MS);
      expect(await bench.ids()).toEqual(['t4', 't3']);
      expect(await bench.past()).toEqual(['t0', 't1', 't2']);
    }
  });

  it('says once that the disk is full, puts nothing twice into history, and goes on when it is not', async () => {
    const bench = await Bench.start({ keepAtMost: 1 });
    for (const id of ['a', 'b', 'c']) await bench.settle(id);
    bench.disk.fault = ({ kind, name }) => {
      if (kind === 'write' && name.startsWith('journal')) throw diskError('ENOSPC');
    };
    await bench.pass(2 * TTL_MS);
    expect(await bench.ids()).toEqual(['c', 'b', 'a']);
    expect(bench.log.lines.filter((line) => line.message.startsWith('what is old could not'))).toHaveLength(1);
    bench.disk.fault = () => {};
    await bench.pass(60_000);
    expect(await bench.ids()).toEqual(['c']);
    const text = [...bench.disk.files()].find(([name]) => name.startsWith('history'))?.[1].toString() ?? '';
    expect(text.split('\n').filter(Boolean)).toHaveLength(2);
  });

  it('forgets the aftermath of a task that is gone', async () => {
    const bench = await Bench.start();
    await bench.kept.aftermaths.put('gone', { taskId: 'gone', events: [] });
    await bench.settle('a');
    await bench.kept.aftermaths.put('a', { taskId: 'a', events: [] });
    await bench.pass(61_000);
    expect([...bench.kept.aftermaths.keys()]).toEqual(['a']);
  });
});

describe('habits', () => {
  it('of devices that are not there any more are forgotten once there are many', async () => {
    const bench = await Bench.start();
    const habit = { fromMs: 1, shiftMs: 1, spanMs: 1, seenMs: [1] };
    const put = (device: string) => bench.kept.habits.put(`${device} power`, habit);
    await Promise.all(Array.from({ length: 1_000 }, (_, place) => put(`guest_${place}`)));
    await bench.pass(61_000);
    expect(bench.kept.habits.size).toBe(1_000);
    await put('lounge_ac');
    await bench.pass(61_000);
    expect([...bench.kept.habits.keys()]).toEqual(['lounge_ac power']);
  });
});

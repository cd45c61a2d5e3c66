import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Habits } from '../../gateway/actuation/habits.ts';
import { nextReadAt } from '../../gateway/actuation/poll-plan.ts';
import { type Habit, learn, sightingOf, usualMs, windowOf } from '../../gateway/domain/habit.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { device, field, History, POLLED } from '../support/histories.ts';
import { quiet } from '../support/virtual-clock.ts';

const GAPS = [2_000, 1_000, 500];

/** One actuation of a device that acts `actsMs` after the send, polled by what is known of it. */
function actuate(habit: Habit | undefined, actsMs: number, gapsMs = GAPS) {
  const expected = habit ? windowOf(habit) : null;
  let began: number | null = null;
  for (let begun = 0; ; begun += 1) {
    const at = nextReadAt({
      sentAt: 0,
      deadline: 60_000,
      gapsMs,
      begun,
      lastBegan: began,
      leadMs: 100,
      settleDue: null,
      expected,
    });
    if (at >= actsMs) {
      return { reads: begun + 1, lateMs: at - actsMs, habit: learn(habit, { afterMs: began ?? 0, byMs: at }) };
    }
    began = at;
  }
}

it('takes in every command, however slow the disk is', async () => {
  const { habits: kept } = memoryHomeStore();
  const put = kept.put.bind(kept);
  kept.put = async (key, value) => {
    await quiet();
    await put(key, value);
  };
  const habits = new Habits(kept, { debug() {}, info() {}, warn() {}, error() {} });
  const verified = (actsMs: number) => {
    const history = new History(device([field('t', { readback: POLLED })]), { t: 20 }, { t: 24 });
    history
      .sent()
      .read(actsMs - 100, { t: 20 })
      .read(actsMs, { t: 24 });
    expect(history.verdict).toMatch(/^verified/);
    return history.actuation;
  };
  habits.learnFrom(verified(3_000));
  habits.learnFrom(verified(4_000));
  for (let turn = 0; turn < 3; turn += 1) await quiet();
  expect([...kept.values()].map(({ seenMs }) => seenMs)).toEqual([[3_000, 4_000]]);
});

describe('polling that learns', () => {
  it('needs few reads and is hardly late after five actuations of a device that takes its time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 20_000 }), (actsMs) => {
        let habit: Habit | undefined;
        for (let round = 0; round < 5; round += 1) habit = actuate(habit, actsMs).habit;
        const sixth = actuate(habit, actsMs);
        expect(sixth.lateMs).toBeLessThanOrEqual(150);
        expect(sixth.reads).toBeLessThanOrEqual(6);
      }),
    );
  });

  it('looks through the span in which a device varies', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 4_000, max: 4_400 }), { minLength: 20, maxLength: 20 }), (times) => {
        let habit: Habit | undefined;
        const later = times.map((actsMs) => {
          const round = actuate(habit, actsMs);
          habit = round.habit;
          return round;
        });
        const learned = later.slice(6);
        const late = learned.map((round) => round.lateMs).toSorted((a, b) => a - b);
        expect(late[Math.floor(late.length / 2)]).toBeLessThanOrEqual(150);
        const reads = learned.map((round) => round.reads).toSorted((a, b) => a - b);
        expect(reads[Math.floor(reads.length / 2)]).toBeLessThanOrEqual(7);
        expect(reads.at(-1)).toBeLessThanOrEqual(16);
      }),
    );
  });

  it('finds a device again that has become slower or quicker', () => {
    let habit: Habit | undefined;
    for (let round = 0; round < 5; round += 1) habit = actuate(habit, 4_000).habit;
    for (let round = 0; round < 9; round += 1) habit = actuate(habit, 6_000).habit;
    expect(actuate(habit, 6_000).lateMs).toBeLessThanOrEqual(150);
    for (let round = 0; round < 9; round += 1) habit = actuate(habit, 1_000).habit;
    expect(actuate(habit, 1_000).lateMs).toBeLessThanOrEqual(150);
    expect(usualMs(habit as Habit)).toBeGreaterThanOrEqual(1_000);
  });

  it('never forgets the read just before the deadline', () => {
    const plan = {
      sentAt: 0,
      deadline: 10_000,
      gapsMs: [20_000],
      begun: 0,
      lastBegan: null,
      leadMs: 200,
      settleDue: null,
    };
    expect(nextReadAt({ ...plan, expected: null })).toBe(9_800);
    expect(nextReadAt({ ...plan, gapsMs: [], expected: null })).toBe(9_800);
    expect(nextReadAt({ ...plan, expected: { fromMs: 30_000, toMs: 31_000, stepMs: 100 } })).toBe(9_800);
  });

  it('remembers no more than it needs', () => {
    let habit: Habit | undefined;
    for (let round = 0; round < 100; round += 1) habit = actuate(habit, 4_000).habit;
    expect(habit?.seenMs.length).toBeLessThanOrEqual(8);
  });
});

describe('what an actuation teaches', () => {
  const command = (before: number) =>
    new History(
      device([field('target_temperature', { readback: POLLED })]),
      { target_temperature: before },
      { target_temperature: 24 },
    ).sent();

  it('is between which two reads the value came', () => {
    const history = command(20).read(1_000, { target_temperature: 20 }).read(2_000, { target_temperature: 20 });
    history.read(3_000, { target_temperature: 24 });
    const [track] = history.actuation.fields;
    expect(track && sightingOf(track)).toEqual({ afterMs: 2_000, byMs: 3_000 });
  });

  it('is nothing where the value was there already', () => {
    const [track] = command(24).read(1_000, { target_temperature: 24 }).actuation.fields;
    expect(track && sightingOf(track)).toBeNull();
  });
});

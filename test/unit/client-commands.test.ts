import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Form, TaskState } from '../../gateway/client/task-state.ts';
import type { Wish } from '../../gateway/client/wish.ts';
import { Board } from '../../gateway/commands/client/board.ts';
import { EventLines } from '../../gateway/commands/client/event-lines.ts';
import { EXIT_CODES, EXIT_CODES_HELP, exitCodeOf } from '../../gateway/commands/client/exit-code.ts';
import { openClientFolder } from '../../gateway/commands/client/folder.ts';
import { tellRecordAtFault } from '../../gateway/commands/client/last-line.ts';
import { parseValues } from '../../gateway/commands/client/parse-values.ts';
import { matching } from '../../gateway/commands/client/wish-choice.ts';
import { VERDICTS } from '../../gateway/domain/verdict.ts';

const WISH: Wish = {
  id: 'aaaa1111',
  server: 'home',
  target: { type: 'device', device: 'ac', set: { target_temperature: 26 } },
  madeAt: 1_000,
  withinMs: 600_000,
  stage: 'wished',
  keyed: false,
  task: null,
  answered: [],
  outcome: null,
  text: '',
  endedAt: null,
};
const TASK: TaskState = {
  taskId: 'task-1',
  status: 'working',
  message: 'sent; reading back',
  createdAt: null,
  pollIntervalMs: 1_000,
  usualMs: 4_000,
  questions: {},
};
const FORM: Form = { message: 'Set it?', schema: null };
const VERIFIED = { type: 'verdict', verdict: 'verified', reason: null } as const;

describe('the words of a call', () => {
  it('become numbers, truth values, lists and text', () => {
    expect(parseValues(['a=26', 'b=-0.5', 'c=true', 'd=[1]', 'e=cool', 'f=', 'g=x=y', 'h=[oops', 'i=1e3'])).toEqual({
      ...{ a: 26, b: -0.5, c: true, d: [1], e: 'cool', f: '', g: 'x=y', h: '[oops', i: 1_000 },
    });
  });

  it('are refused where they are no pairs', () => {
    expect(() => parseValues(['26'])).toThrow(/field=value/);
  });
});

describe('the exit code', () => {
  it('is another one for each verdict, and 0 for verified alone', () => {
    const codes = VERDICTS.map((verdict) => EXIT_CODES[verdict]);
    expect(new Set(codes).size).toBe(VERDICTS.length);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
  });

  it('is told in the help, each of them', () => {
    for (const code of Object.values(EXIT_CODES)) expect(EXIT_CODES_HELP).toMatch(new RegExp(`(^|\\s)${code} `, 'm'));
  });

  it('of several is 0 only where all went well', () => {
    const ignored = { type: 'verdict', verdict: 'ignored', reason: 'no_reaction' } as const;
    expect(exitCodeOf([VERIFIED, VERIFIED])).toBe(0);
    expect(exitCodeOf([VERIFIED, ignored])).toBe(EXIT_CODES.ignored);
    expect(exitCodeOf([{ type: 'result', isError: true }])).toBe(EXIT_CODES.error);
  });
});

describe('the board', () => {
  it('gives a wish one line: what it waits for, how long it takes, how it ended', () => {
    const board = new Board();
    board.hear({ type: 'delayed', wish: WISH, why: 'no gateway runs' });
    expect(board.lines(2_000, 120, 24)).toEqual([
      expect.stringMatching(/not delivered yet, 10 min left: no gateway runs/),
    ]);
    board.hear({ type: 'task', wish: { ...WISH, stage: 'following' }, task: TASK });
    expect(board.lines(3_000, 120, 24)).toEqual([
      expect.stringContaining('ac target_temperature=26  working  2.0 s of about 4.0 s █████░░░░░  sent; reading back'),
    ]);
    // Later than usual is not done.
    expect(board.lines(60_000, 120, 24)[0]).toContain('█████████░');
    const ended = { ...WISH, stage: 'ended', outcome: VERIFIED, text: 'verified: 26 °C.', endedAt: 5_000 } as const;
    board.hear({ type: 'wish', wish: ended });
    expect(board.lines(99_000, 120, 24)).toEqual(['✓ ac target_temperature=26  verified  4.0 s  verified: 26 °C.']);
  });

  it('lets the questions be answered in any order', () => {
    const board = new Board();
    for (const wishId of ['a', 'b', 'c']) board.hear({ type: 'question', question: { wishId, key: 'k', form: FORM } });
    expect(board.lines(0, 80, 24).at(-1)).toBe('? Set it? [1/3, ↑↓ y/n]');
    board.move(-1);
    expect(board.asked?.wishId).toBe('c');
    board.hear({ type: 'withdrawn', question: { wishId: 'c', key: 'k', form: FORM } });
    expect(board.asked?.wishId).toBe('b');
    board.hear({ type: 'withdrawn', question: { wishId: 'a', key: 'k', form: FORM } });
    expect(board.asked?.wishId).toBe('b');
  });

  it('stays within the terminal', () => {
    const board = new Board();
    for (let at = 0; at < 100; at += 1) board.hear({ type: 'wish', wish: { ...WISH, id: String(at) } });
    const lines = board.lines(2_000, 20, 10);
    expect(lines.length).toBeLessThan(10);
    expect(lines.at(-1)).toBe('  … 94 more');
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(20);
  });
});

describe('JSON lines', () => {
  it('tell each change once', () => {
    const lines = new EventLines();
    const task = { type: 'task', wish: WISH, task: TASK } as const;
    expect(JSON.parse(lines.lineOf(task) ?? '')).toMatchObject({ event: 'task', task_id: 'task-1', usual_ms: 4_000 });
    expect(lines.lineOf(task)).toBeUndefined();
    expect(lines.lineOf({ ...task, task: { ...TASK, message: 'read 26' } })).toContain('read 26');
  });
});

describe('the beginning of an id', () => {
  const other: Wish = { ...WISH, id: 'aaaa2222', task: { taskId: 'zzz', modern: true } };

  it('finds a wish by its own id or its task’s, and prefers one that has not ended', () => {
    expect(matching([WISH, other], 'aaaa1')).toBe(WISH);
    expect(matching([WISH, other], 'zz')).toBe(other);
    expect(matching([{ ...WISH, outcome: VERIFIED }, other], 'aaaa')).toBe(other);
    expect(() => matching([WISH, other], 'aaaa')).toThrow(/several/);
    expect(() => matching([WISH, other], 'b')).toThrow(/readback tasks/);
  });
});

describe('a fault of the program itself', () => {
  it('ends it with a word on what is on record', () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const before = new Set(process.rawListeners('uncaughtException'));
    tellRecordAtFault();
    // Not by an event: the runner listens for those itself.
    const own = process.rawListeners('uncaughtException').find((listener) => !before.has(listener));
    own?.call(process, new Error('the pipe is closed'));
    expect(exit).toHaveBeenCalledWith(1);
    expect(error.mock.calls.flat().join('\n')).toMatch(/the pipe is closed.*on record.*readback watch/s);
    vi.restoreAllMocks();
  });
});

describe('the folder of the client', () => {
  let folder: string;
  const fail = (message: string) => expect.unreachable(message);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'readback-client-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives each command that runs a store of its own, and lets it see the others', async () => {
    const first = await openClientFolder(folder, fail);
    await first.wishes.put(WISH.id, WISH);
    const second = await openClientFolder(folder, fail);
    expect(second.found).toEqual([]);
    expect(await second.others()).toEqual([WISH]);
    await Promise.all([first.close(), second.close()]);
  });

  it('hands what a command left to the next one, once', async () => {
    const first = await openClientFolder(folder, fail);
    const second = await openClientFolder(folder, fail);
    await second.wishes.put(WISH.id, WISH);
    await Promise.all([first.close(), second.close()]);
    const third = await openClientFolder(folder, fail);
    const fourth = await openClientFolder(folder, fail);
    for (const { found } of [third, fourth]) expect(found).toEqual([WISH]);
    expect(await third.adopt(third.found)).toEqual([WISH]);
    expect(await fourth.adopt(fourth.found)).toEqual([]);
    const fifth = await openClientFolder(folder, fail);
    expect(fifth.found).toEqual([]);
    await Promise.all([third.close(), fourth.close(), fifth.close()]);
  });

  it('leaves to others what a command does not take over', async () => {
    const first = await openClientFolder(folder, fail);
    const fan: Wish = { ...WISH, id: 'fan', target: { type: 'device', device: 'fan', set: {} }, madeAt: 2_000 };
    await first.wishes.put(WISH.id, WISH);
    await first.wishes.put(fan.id, fan);
    await first.close();
    const second = await openClientFolder(folder, fail);
    expect(await second.adopt([WISH])).toEqual([WISH]);
    const third = await openClientFolder(folder, fail);
    expect(third.found).toEqual([fan]);
    expect(await third.others()).toEqual([WISH, fan]);
    await Promise.all([second.close(), third.close()]);
  });

  it('knows a wish that a crash left in two stores by the one that is ahead', async () => {
    const following: Wish = { ...WISH, stage: 'following', task: { taskId: 'task-1', modern: true } };
    const [first, second] = [await openClientFolder(folder, fail), await openClientFolder(folder, fail)];
    await first.wishes.put(WISH.id, WISH);
    await second.wishes.put(WISH.id, following);
    await Promise.all([first.close(), second.close()]);
    const third = await openClientFolder(folder, fail);
    expect(third.found).toEqual([following]);
    expect(await third.adopt(third.found)).toEqual([following]);
    expect(await third.others()).toEqual([]);
    await third.close();
  });

  it('lets an earlier wish of another command for the same device go first', async () => {
    const first = await openClientFolder(folder, fail);
    const second = await openClientFolder(folder, fail);
    await first.wishes.put(WISH.id, WISH);
    const later: Wish = { ...WISH, id: 'bbbb', madeAt: 2_000 };
    expect(await second.mustWait(later)).toBe(true);
    expect(await second.mustWait({ ...later, server: 'elsewhere' })).toBe(false);
    expect(await second.mustWait({ ...later, madeAt: 500 })).toBe(false);
    // Left behind it still has its turn, but for no longer than it may be delivered.
    await first.close();
    expect(await second.mustWait(later)).toBe(true);
    await second.close();
  });

  it('lets a wish wait for none that has been delivered, or is too late for it', async () => {
    const first = await openClientFolder(folder, fail);
    const second = await openClientFolder(folder, fail);
    const later: Wish = { ...WISH, id: 'bbbb', madeAt: Date.now() };
    await first.wishes.put(WISH.id, { ...WISH, madeAt: Date.now() - WISH.withinMs - 1 });
    expect(await second.mustWait(later)).toBe(false);
    await first.wishes.put(WISH.id, { ...WISH, stage: 'following' });
    expect(await second.mustWait(later)).toBe(false);
    await Promise.all([first.close(), second.close()]);
  });

  it('forgets what ended long ago', async () => {
    const first = await openClientFolder(folder, fail);
    await first.wishes.put('old', { ...WISH, id: 'old', outcome: VERIFIED, endedAt: 0 });
    await first.wishes.put('new', { ...WISH, id: 'new', outcome: VERIFIED, endedAt: Date.now() });
    const second = await openClientFolder(folder, fail);
    await second.wishes.put('older', { ...WISH, id: 'older', outcome: VERIFIED, endedAt: 0 });
    await Promise.all([first.close(), second.close()]);
    const third = await openClientFolder(folder, fail);
    expect([...third.wishes.values(), ...(await third.others())].map(({ id }) => id)).toEqual(['new']);
    await third.close();
  });
});

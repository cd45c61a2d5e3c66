import { beforeEach, describe, expect, it } from 'vitest';
import { dayOf, type PastTask } from '../../gateway/domain/history.ts';
import { DayFiles } from '../../gateway/store/day-files.ts';
import type { StoreNotice } from '../../gateway/store/store-errors.ts';
import { actuation, settledAt } from '../support/actuations.ts';
import { diskError, MemoryDisk } from '../support/memory-disk.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const DAY_MS = 86_400_000;

let notices: StoreNotice[];

beforeEach(() => {
  notices = [];
});

const open = (disk: MemoryDisk) => new DayFiles(disk, '/data', (notice) => notices.push(notice));

function past(taskId: string, wall = NOON): PastTask {
  const settled = settledAt(actuation({ taskId, createdWall: wall }), wall + 4_000);
  const drift = {
    type: 'drifted',
    taskId,
    deviceId: settled.deviceId,
    field: 'fan_mode',
    from: 'low',
    to: 'high',
  } as const;
  return { actuation: settled, aftermath: [{ ...drift, at: { mono: 9_000, wall: wall + 8_000 } }] };
}

async function idsOf(disk: MemoryDisk, day = '2026-11-30'): Promise<string[]> {
  return (await open(disk).read(day)).map((each) => each.actuation.taskId);
}

describe('day files', () => {
  it('give back what was appended, whole, by the day of its making', async () => {
    const disk = new MemoryDisk();
    const all = [past('a', NOON - DAY_MS), past('b'), past('c', NOON - DAY_MS)];
    await open(disk).append(all);
    expect(await open(disk).days()).toEqual(['2026-11-30', '2026-11-29']);
    expect(await open(disk).read('2026-11-29')).toEqual([all[0], all[2]]);
    expect(await open(disk).read('2026-11-30')).toEqual([all[1]]);
  });

  it('are empty for a day without commands, and for what is no day', async () => {
    const disk = new MemoryDisk();
    expect(await open(disk).days()).toEqual([]);
    for (const day of ['2026-11-30', '../lock', '2026-11-30.jsonl/..', '']) expect(await idsOf(disk, day)).toEqual([]);
  });

  it('give a task once that a crash left in two places', async () => {
    const disk = new MemoryDisk();
    await open(disk).append([past('a'), past('b')]);
    await open(disk).append([past('b'), past('c')]);
    expect(await idsOf(disk)).toEqual(['a', 'b', 'c']);
  });

  it('lose nothing but the torn line when they are cut, at every byte, and take more behind it', async () => {
    const disk = new MemoryDisk();
    await open(disk).append([past('a'), past('b')]);
    const name = 'history/2026-11-30.jsonl';
    const content = disk.files().get(name) ?? Buffer.alloc(0);
    const firstEnd = content.indexOf('\n', 1);
    for (let size = 0; size <= content.length; size += 7) {
      const cut = MemoryDisk.of(new Map([[name, content.subarray(0, size)]]));
      await open(cut).append([past('c')]);
      const whole = [...(size >= firstEnd ? ['a'] : []), ...(size >= content.length - 1 ? ['b'] : [])];
      expect(await idsOf(cut)).toEqual([...whole, 'c']);
    }
  });

  it('leave out a line with a changed bit, keep the others, and say so once', async () => {
    const disk = new MemoryDisk();
    await open(disk).append([past('a'), past('b'), past('c')]);
    const name = 'history/2026-11-30.jsonl';
    const content = Buffer.from(disk.files().get(name) ?? '');
    const middle = Math.floor(content.length / 2);
    content.writeUInt8(content.readUInt8(middle) ^ 4, middle);
    const history = open(MemoryDisk.of(new Map([[name, content]])));
    for (let time = 0; time < 2; time++) {
      expect((await history.read('2026-11-30')).map((each) => each.actuation.taskId)).toEqual(['a', 'c']);
    }
    expect(notices).toEqual([
      {
        type: 'history_damaged',
        message: '/data/history/2026-11-30.jsonl: 1 of its lines are torn or damaged, and are left out.',
      },
    ]);
  });

  it('have on disk what they were given, whenever the power goes', async () => {
    const disk = new MemoryDisk();
    const history = open(disk);
    for (const taskId of ['a', 'b', 'c']) {
      await history.append([past(taskId), past(`${taskId} before`, NOON - DAY_MS)]);
      for (const chance of [0, 0.5, 0.99]) {
        expect(await idsOf(disk.afterPowerCut(() => chance))).toContain(taskId);
        expect(
          await idsOf(
            disk.afterPowerCut(() => chance),
            '2026-11-29',
          ),
        ).toContain(`${taskId} before`);
      }
    }
  });

  it('refuse while the disk is full, and go on behind what was cut short', async () => {
    const disk = new MemoryDisk();
    const history = open(disk);
    await history.append([past('a')]);
    disk.fault = ({ kind }) => {
      if (kind === 'write') throw diskError('ENOSPC');
    };
    await expect(history.append([past('b')])).rejects.toMatchObject({ name: 'StoreError', kind: 'unwritable' });
    disk.fault = () => {};
    await history.append([past('b')]);
    expect(await idsOf(disk)).toEqual(['a', 'b']);
  });

  it('are removed oldest first, by number and by size', async () => {
    const disk = new MemoryDisk();
    const history = open(disk);
    for (let day = 0; day < 5; day++) await history.append([past(`t${day}`, NOON - day * DAY_MS)]);
    expect(await history.trim({ days: 4, bytes: 1e9 })).toEqual(['2026-11-26']);
    const size = disk.files().get('history/2026-11-30.jsonl')?.length ?? 0;
    expect(await history.trim({ days: 4, bytes: 2.5 * size })).toEqual(['2026-11-27', '2026-11-28']);
    expect(await history.days()).toEqual(['2026-11-30', '2026-11-29']);
    expect(await history.trim({ days: 0, bytes: 1e9 })).toHaveLength(2);
    await history.append([past('again')]);
    expect(await idsOf(disk)).toEqual(['again']);
  });
});

describe('the day of a command', () => {
  it('is that of its making, or of its end where the clock was not set before', () => {
    const settled = settledAt(actuation({ taskId: 'a', createdWall: 12_000 }), NOON);
    expect(dayOf(settled)).toBe('1970-01-01');
    expect(dayOf({ ...settled, createdAt: { mono: 1, wall: 12_000, clock: 'unset' } })).toBe('2026-11-30');
  });
});

import { describe, expect, it } from 'vitest';
import {
  CRASH_POINTS,
  type CrashPoint,
  diedAt,
  lastWords,
  readTraps,
  writeTraps,
} from '../../scripts/chaos/crash-points.ts';
import { TARGETS } from '../../scripts/chaos/devices.ts';
import { drawPlan } from '../../scripts/chaos/plan.ts';

describe('a plan', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(drawPlan(5, 50)).toEqual(drawPlan(5, 50));
    expect(drawPlan(5, 50)).not.toEqual(drawPlan(6, 50));
  });

  it('sets a trap at every point', () => {
    const { lives, compactionTraps } = drawPlan(1, 60);
    const everyday = lives.flatMap(({ death }) => (death.type === 'trap' ? [death.trap.point] : []));
    const compactions = compactionTraps.map(({ point }) => point);
    expect(new Set([...everyday, ...compactions])).toEqual(new Set(Object.keys(CRASH_POINTS)));
  });

  it('gives a device no wish again before all others had their turn', () => {
    const commands = drawPlan(3, 300).lives.flatMap((life) => life.commands);
    for (const device of TARGETS) {
      const wishes = commands
        .filter((command) => command.device === device && command.wish !== device.impossible)
        .map(({ wish }) => JSON.stringify(device.wire(wish)));
      const first = wishes.slice(0, device.wishes().length);
      expect(new Set(first).size).toBe(first.length);
    }
  });
});

describe('traps', () => {
  it('are read as they were written', () => {
    const traps = [
      { point: 'journal_synced', passing: 3 },
      { point: 'snapshot_named', passing: 1 },
    ] as const;
    expect([...readTraps(writeTraps(traps))]).toEqual(traps.map(({ point, passing }) => [point, passing]));
    expect([...readTraps('')]).toEqual([]);
  });

  it('name themselves when a process dies of them', () => {
    for (const point of Object.keys(CRASH_POINTS) as CrashPoint[]) {
      expect(diedAt(`{"level":40}\n${lastWords(point)}`)).toBe(point);
    }
    expect(diedAt('chaos: died at home\n')).toBeNull();
  });
});

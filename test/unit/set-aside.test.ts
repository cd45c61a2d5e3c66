import { describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { isMilestone } from '../../gateway/domain/milestone.ts';
import { step } from '../../gateway/domain/step.ts';
import { at, device, field, History } from '../support/histories.ts';

const set = (value: number | null) => ({ target_temperature: value });

/** One setpoint, 20 before, 24 wanted, sent at zero. */
function setpoint(verify = {}): History {
  return new History(device([field('target_temperature')], verify), set(20), set(24)).sent();
}

const asides = ({ actuation }: History) =>
  (actuation.fields[0]?.setAside ?? []).map(({ why, value, from, to, count }) => [
    why,
    value,
    from.mono,
    to.mono,
    count,
  ]);

describe('a reading that does not count', () => {
  it('is kept with its value and the reason, and equal ones in a row are one', () => {
    const history = setpoint({ echoMs: 1_000 })
      .report(30, set(24))
      .report(40, set(24))
      .report(50, set(24), { retained: true })
      .report(60, set(null))
      .report(70, set(22), { moving: { target_temperature: true } });
    expect(asides(history)).toEqual([
      ['echo', 24, 30, 40, 2],
      ['retained', 24, 50, 50, 1],
      ['null', null, 60, 60, 1],
      ['moving', 22, 70, 70, 1],
    ]);
    expect(history.observed('target_temperature')).toBeNull();
  });

  it('begins a new row after one that counted', () => {
    const history = setpoint().report(10, set(null)).report(20, set(21)).report(30, set(null));
    expect(asides(history)).toEqual([
      ['null', null, 10, 10, 1],
      ['null', null, 30, 30, 1],
    ]);
  });

  it('does not make the record grow without end: the first and the latest are kept', () => {
    const history = setpoint();
    for (let ms = 1; ms <= 500; ms += 1) history.report(ms, set(ms), { retained: true });
    const kept = asides(history);
    expect(kept).toHaveLength(16);
    expect(kept[0]).toEqual(['retained', 1, 1, 1, 1]);
    expect(kept.at(-1)).toEqual(['retained', 500, 500, 500, 1]);
  });

  it('is no reason to write to the disk', () => {
    const history = setpoint().report(10, set(null));
    const before = history.actuation;
    for (let ms = 20; ms < 100; ms += 1) history.report(ms, set(ms % 2 === 0 ? null : 23), { retained: true });
    expect(history.actuation).not.toBe(before);
    expect(isMilestone(before, history.actuation)).toBe(false);
  });

  it('is added to a record of an earlier version, which only counted them', () => {
    const { actuation } = setpoint();
    const stored = JSON.parse(JSON.stringify(actuation)) as Actuation;
    const earlier = { ...stored, fields: stored.fields.map((track) => ({ ...track, discounted: { echo: 3 } })) };
    const { actuation: next } = step(earlier, {
      type: 'device',
      at: at(10),
      report: { ...READING, at: at(10), beganAt: at(10), values: set(null) },
    });
    expect(next.fields[0]?.setAside).toHaveLength(1);
  });
});

const READING = {
  type: 'reading',
  source: 'report',
  retained: false,
  moving: {},
  excluded: [],
  acks: {},
} as const;

describe('what comes between a command and its verdict', () => {
  const incidents = ({ actuation }: History) => actuation.incidents?.map(({ type, at: when }) => [type, when.mono]);

  it('is kept: the device going and coming back, and restarts', () => {
    const history = setpoint({ settleMs: 1_000 })
      .availability(100, false)
      .availability(200, false)
      .report(300, set(20))
      .restarted(400)
      .availability(500, false);
    expect(incidents(history)).toEqual([
      ['offline', 100],
      ['online', 300],
      ['restarted', 400],
      ['offline', 500],
    ]);
  });

  it('is moved onto the clock of a new boot with everything else', () => {
    const history = setpoint({ settleMs: 1_000 }).availability(100, false).restarted(5, 'boot-2');
    expect(incidents(history)).toEqual([
      ['offline', 5],
      ['restarted', 5],
    ]);
  });

  it('is bounded however often a device comes and goes', () => {
    const history = setpoint({ settleMs: 1_000 });
    for (let ms = 1; ms <= 100; ms += 1) history.availability(ms, ms % 2 === 0);
    expect(incidents(history)).toHaveLength(16);
    expect(incidents(history)?.[0]).toEqual(['offline', 1]);
  });

  it('takes no room in a record where nothing came between', () => {
    expect(setpoint().report(10, set(24)).actuation).not.toHaveProperty('incidents');
  });
});

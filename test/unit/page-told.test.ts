import { describe, expect, it } from 'vitest';
import { headline } from '../../gateway/dashboard/page/devices/headline.ts';
import { toldOf } from '../../gateway/dashboard/page/devices/told.ts';
import { VERDICTS, type Verdict } from '../../gateway/domain/verdict.ts';
import { airConditioner, command, ended, field } from '../browser/houses.ts';

const reads = (value: number | null) => field('target_temperature', value, { min: 16, max: 30, step: 1, unit: 'C' });

describe('what a field was told', () => {
  it('is under way until there is a verdict, whatever is read', () => {
    expect(toldOf(reads(24), [command('a')])).toMatchObject({ wanted: 26, pending: true });
    expect(toldOf(reads(26), [command('a')])).toMatchObject({ wanted: 26, pending: true });
  });

  it('is worth a word after the verdict only where something else is read, by half a step', () => {
    expect(toldOf(reads(24), [ended('a', 'ignored', 9)])).toMatchObject({ wanted: 26, pending: false });
    expect(toldOf(reads(25.6), [ended('a', 'verified', 9)])).toBeNull();
    expect(toldOf(reads(25.4), [ended('a', 'verified', 9)])).toMatchObject({ wanted: 26 });
    expect(toldOf(reads(null), [ended('a', 'unconfirmed', 9)])).toBeNull();
  });

  it('is what the newest command said that reached the device', () => {
    const unheard: readonly Verdict[] = ['rejected', 'declined', 'superseded'];
    for (const verdict of VERDICTS) {
      const told = toldOf(reads(24), [ended('a', verdict, 9)]);
      expect(told?.wanted, verdict).toBe(unheard.includes(verdict) ? undefined : 26);
    }
    const older = ended('old', 'verified', 60, { fields: command('x').fields.map((each) => ({ ...each, sent: 24 })) });
    expect(toldOf(reads(24), [ended('new', 'rejected', 9), older])).toBeNull();
  });
});

describe('the headline of a device', () => {
  it('says what it does, and that it is off before anything else', () => {
    const on = airConditioner('ac');
    expect(headline(on)).toEqual({ figure: '24 °C', words: ['Cool', 'Measured 27.5 °C'] });
    const fields = on.fields.map((each) => (each.name === 'power' ? { ...each, value: 'off' } : each));
    expect(headline({ ...on, fields })).toEqual({ figure: 'Off', words: ['Target 24 °C', 'Measured 27.5 °C'] });
    expect(headline({ ...on, fields: [] })).toEqual({ figure: '–', words: [] });
  });
});

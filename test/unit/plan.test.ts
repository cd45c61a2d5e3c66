import { describe, expect, it } from 'vitest';
import { type Known, plan } from '../../gateway/domain/plan.ts';
import { device, field, option } from '../support/histories.ts';

const spec = device([
  option('hvac_mode', ['off', 'cool', 'heat']),
  field('target_temperature', {
    min: 16,
    max: 26,
    step: 0.5,
    minBy: { hvac_mode: { heat: 8 } },
    maxBy: { hvac_mode: { heat: 30, cool: 24 } },
  }),
]);

/** What the plan makes of a wish: the values that would be sent, or the reason against it. */
function planned(known: Known, set: Readonly<Record<string, unknown>>) {
  const made = plan(spec, known, set);
  return made.ok ? Object.fromEntries(made.fields.map(({ field: name, sent }) => [name, sent])) : made.refusal.reason;
}

describe('limits that depend on a mode', () => {
  it('are those of the mode that is in force', () => {
    expect(planned({ hvac_mode: 'heat' }, { target_temperature: 30 })).toEqual({ target_temperature: 30 });
    expect(planned({ hvac_mode: 'heat' }, { target_temperature: 8 })).toEqual({ target_temperature: 8 });
    expect(planned({ hvac_mode: 'cool' }, { target_temperature: 25 })).toBe('out_of_range');
  });

  it('are those of the mode that the same command brings', () => {
    const set = { hvac_mode: 'heat', target_temperature: 30 };
    expect(planned({ hvac_mode: 'cool' }, set)).toEqual(set);
    expect(planned({ hvac_mode: 'heat' }, { ...set, hvac_mode: 'cool' })).toBe('out_of_range');
  });

  it('are the usual ones in a mode of which they say nothing', () => {
    expect(planned({ hvac_mode: 'off' }, { target_temperature: 26 })).toEqual({ target_temperature: 26 });
    expect(planned({ hvac_mode: 'off' }, { target_temperature: 26.5 })).toBe('out_of_range');
  });

  it('are the widest where nobody knows the mode', () => {
    expect(planned({ hvac_mode: null }, { target_temperature: 30 })).toEqual({ target_temperature: 30 });
    expect(planned({}, { target_temperature: 8 })).toEqual({ target_temperature: 8 });
    expect(planned({}, { target_temperature: 30.5 })).toBe('out_of_range');
  });
});

describe('numbers', () => {
  it('are brought to the grid, and held against the limits before and after', () => {
    const known = { hvac_mode: 'off' };
    expect(planned(known, { target_temperature: 21.3 })).toEqual({ target_temperature: 21.5 });
    expect(planned(known, { target_temperature: '21.30000000000001' })).toEqual({ target_temperature: 21.5 });
    expect(planned(known, { target_temperature: 26.2 })).toBe('out_of_range');
    expect(planned(known, { target_temperature: 'warm' })).toBe('out_of_range');
  });
});

import { describe, expect, it } from 'vitest';
import { plotData } from '../../gateway/dashboard/page/commands/plot-data.ts';
import type { CommandFieldWire, MomentWire } from '../../gateway/dashboard/wire.ts';
import { command } from '../browser/houses.ts';

const START = Date.parse('2026-11-30T12:00:00Z');
const at = (s: number) => new Date(START + s * 1_000).toISOString();

const target: CommandFieldWire = {
  name: 'target_temperature',
  requested: 26,
  sent: 26,
  before: 24,
  observed: 26,
  evidence: 3,
  verdict: 'verified',
  reason: null,
  unit: 'C',
};

function plotOf(field: CommandFieldWire, moments: readonly MomentWire[]) {
  const told = command('a', { created_at: at(0), sent_at: at(1), ended_at: at(5), outcome: 'verdict' });
  return plotData({ now: at(9), command: told, moments }, field);
}

describe('the plot of a field', () => {
  it('begins with what was there, keeps runs of equal readings, and sets apart what did not count', () => {
    const about = { text: '', field: 'target_temperature' } as const;
    const plot = plotOf(target, [
      { at: at(1), type: 'sent', ...about, value: 26 },
      { at: at(1.5), type: 'set_aside', ...about, value: 26 },
      { at: at(2), type: 'reading', ...about, value: 24, count: 3, until: at(4) },
      { at: at(5), type: 'reading', ...about, value: 26 },
      { at: at(5), type: 'ended', text: '' },
      { at: at(3), type: 'reading', text: '', field: 'power', value: 'on' },
    ]);
    expect(plot.times).toEqual([0, 1, 1.5, 2, 4, 5]);
    expect(plot.wanted).toEqual([null, 26, 26, 26, 26, 26]);
    expect(plot.read).toEqual([24, null, null, 24, 24, 26]);
    expect(plot.aside).toEqual([null, null, 26, null, null, null]);
    expect(plot.marks).toEqual([
      { atS: 1, type: 'sent' },
      { atS: 5, type: 'ended' },
    ]);
    expect(plot.text).toBe('Wanted 26 °C, 24 °C before. Read: 24 °C after 2.0 s, 26 °C after 5.0 s.');
  });

  it('gives words their places, the wanted one on top', () => {
    const mode = { ...target, name: 'hvac_mode', before: 'cool', sent: 'heat', requested: 'heat' };
    const plot = plotOf(mode, [{ at: at(2), type: 'reading', text: '', field: 'hvac_mode', value: 'auto' }]);
    expect(plot.words).toEqual(['cool', 'auto', 'heat']);
    expect(plot.times.map((time, index) => [time, plot.read[index], plot.wanted[index]])).toEqual([
      [0, 0, null],
      [1, null, 2],
      [2, 1, 2],
      [5, null, 2],
    ]);
    expect(plot.text).toBe('Wanted Heat, Cool before. Read: Auto after 2.0 s.');
  });
});

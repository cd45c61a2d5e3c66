import { describe, expect, it } from 'vitest';
import { story } from '../../gateway/dashboard/story.ts';
import type { Drifted } from '../../gateway/domain/drift.ts';
import { at, device, field, History, option } from '../support/histories.ts';

const set = (value: number | null) => ({ target_temperature: value });
const setpoint = (over = {}) => field('target_temperature', { step: 0.5, unit: 'C', ...over });

/** The moments as `ms type`, and what stands beside. */
const told = ({ actuation }: History, aftermath: readonly Drifted[] = []) =>
  story(actuation, aftermath).map(({ at: when, type, text: _, until, ...rest }) => [
    Date.parse(when) - at(0).wall,
    type,
    { ...rest, ...(until !== undefined && { until: Date.parse(until) - at(0).wall }) },
  ]);

describe('the story of a command', () => {
  it('tells readings that counted and those that did not, in order, and the end', () => {
    const about = { field: 'target_temperature' };
    const history = new History(device([setpoint()], { echoMs: 100 }), set(20), set(24))
      .sent()
      .report(30, set(24))
      .report(200, set(20))
      .report(300, set(20))
      .report(400, set(null))
      .report(900, set(24));
    expect(told(history)).toEqual([
      [0, 'created', {}],
      [0, 'sent', { ...about, value: 24 }],
      [30, 'acknowledged', about],
      [30, 'set_aside', { ...about, value: 24 }],
      [200, 'reading', { ...about, value: 20, count: 2, until: 300 }],
      [400, 'set_aside', about],
      [900, 'reading', { ...about, value: 24 }],
      [900, 'ended', {}],
    ]);
    const texts = story(history.actuation, []).map(({ text }) => text);
    expect(texts).toContain('somebody asked for target_temperature 24.0 °C');
    expect(texts.find((text) => text.includes('did not count'))).toMatch(/24\.0 °C.*repeats the command/);
    expect(texts.at(-1)).toBe('AC: verified: target_temperature is 24.0 °C.');
  });

  it('says who was asked and who answered, through which door', () => {
    const asking = setpoint({ approval: { type: 'always' } });
    const history = new History(device([asking]), set(20), set(24))
      .event({ type: 'approved', at: at(5_000), by: 'judge', through: 'dashboard' })
      .sent(6_000);
    expect(told(history).map(([ms, type]) => [ms, type])).toEqual([
      [0, 'created'],
      [0, 'asked'],
      [5_000, 'answered'],
      [6_000, 'sent'],
    ]);
    expect(story(history.actuation, [])[2]?.text).toBe('Approved by judge (dashboard)');
  });

  it('tells of fields that left together once, and of one that was sent again', () => {
    const two = new History(
      device([setpoint(), option('hvac_mode', ['cool', 'heat'])]),
      {},
      { ...set(24), hvac_mode: 'heat' },
    ).sent(10);
    expect(told(two).filter(([, type]) => type === 'sent')).toEqual([[10, 'sent', {}]]);
    const again = new History(device([setpoint()], { resend: 1 }), set(20), set(24)).sent().report(100, set(20));
    again.until(6_000).event({ type: 'send', at: at(6_000), report: { type: 'sent', fields: ['target_temperature'] } });
    const sends = story(again.actuation, []).filter(({ type }) => type === 'sent');
    expect(sends.map(({ text }) => text)).toEqual([
      'Sent target_temperature 24.0 °C',
      'Sent target_temperature 24.0 °C once more',
    ]);
  });

  it('tells when the device was gone and for how long, when the gateway was, and what changed unasked', () => {
    const mode = option('hvac_mode', ['cool', 'heat']);
    const spec = device([setpoint(), mode], { settleMs: 5_000 }, { guard: ['hvac_mode'] });
    const history = new History(spec, { ...set(20), hvac_mode: 'cool' }, set(24))
      .sent()
      .availability(100, false)
      .availability(1_600, true)
      .restarted(2_000)
      .availability(2_500, false)
      .report(3_000, { hvac_mode: 'heat' });
    expect(told(history).slice(2)).toEqual([
      [100, 'offline', { until: 1_600 }],
      [2_000, 'restarted', {}],
      [2_500, 'offline', { until: 3_000 }],
      [3_000, 'reading', { field: 'hvac_mode', value: 'heat' }],
    ]);
    expect(story(history.actuation, [])[2]?.text).toBe('The device was out of reach for 1.5 s');
  });

  it('puts what changed later after the end, whatever the clock of that boot says', () => {
    const history = new History(device([setpoint()]), set(20), set(24)).sent().report(900, set(24));
    const drift: Drifted = {
      type: 'drifted',
      taskId: 'task',
      deviceId: 'ac',
      field: 'target_temperature',
      from: 24,
      to: 21,
      at: { mono: 3, wall: at(60_000).wall },
    };
    expect(told(history, [drift]).slice(-2)).toEqual([
      [900, 'ended', {}],
      [60_000, 'drifted', { field: 'target_temperature', value: 21 }],
    ]);
    expect(story(history.actuation, [drift]).at(-1)?.text).toBe(
      'target_temperature changed from 24.0 °C to 21.0 °C, unasked',
    );
  });

  it('is short for a command that was refused', () => {
    const history = new History(device([setpoint({ max: 30 })]), set(20), set(40));
    expect(told(history).map(([, type]) => type)).toEqual(['created', 'ended']);
  });
});

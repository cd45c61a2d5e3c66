import { expect, it } from 'vitest';
import type { DeviceView } from '../../gateway/actuation/commands.ts';
import type { KnownValue } from '../../gateway/domain/reading.ts';
import { stateData, stateText } from '../../gateway/mcp/state-view.ts';
import { DEMO_FAN } from '../support/demo-devices.ts';

const now = { mono: 10_000_000, wall: Date.UTC(2026, 10, 30) };

const known = (value: string | number | null, ageMs: number, live = true): KnownValue => ({
  value,
  at: { mono: now.mono - ageMs, wall: now.wall - ageMs },
  live,
});

function view(values: Readonly<Record<string, KnownValue>>, changes: Partial<DeviceView> = {}): DeviceView {
  const state = { values, online: true, onlineAt: null, heardAt: null, push: {} };
  return { spec: DEMO_FAN, state, reachable: true, ...changes };
}

const textOf = (seen: DeviceView) => stateText(stateData(seen, now), seen.spec.fields);

it('measures ages on the monotonic clock, in seconds, minutes or hours', () => {
  const seen = view({
    power: known('on', 1_400),
    percentage: known(40, 600_000),
    swing_mode: known('auto', 9_000_000),
  });
  expect(stateData(seen, now).values.power).toMatchObject({ value: 'on', age_s: 1.4 });
  expect(textOf(seen)).toContain('1 s ago: power on; 10 min ago: percentage 40 %; 3 h ago: swing_mode auto');
});

it('tells a memory from what the device says now', () => {
  const seen = view({ power: known('on', 0, false) });
  expect(stateData(seen, now).values.power).toMatchObject({ value: 'on', live: false, age_s: null });
  expect(textOf(seen)).toContain('From before, not seen since: power on');
});

it('tells "no value", as the device reported it, from never reported', () => {
  const seen = view({ swing_mode: known(null, 0) });
  expect(stateData(seen, now).values.swing_mode).toMatchObject({
    value: null,
    observed_at: '2026-11-30T00:00:00.000Z',
  });
  expect(stateData(seen, now).values.power).toEqual({ value: null, observed_at: null, age_s: null });
  expect(textOf(seen)).toContain('Not known: power, percentage');
  expect(textOf(seen)).toContain('swing_mode unknown');
});

it('says what stands in the way', () => {
  const spec = { ...DEMO_FAN, caveats: ['speed 0 is not taken over'] };
  const seen = view({}, { spec, reachable: false });
  expect(textOf(seen)).toContain('cannot be reached');
  expect(textOf(seen)).toContain('Caveat: speed 0 is not taken over.');
  expect(stateData(seen, now)).toMatchObject({ reachable: false, caveats: ['speed 0 is not taken over'] });
});

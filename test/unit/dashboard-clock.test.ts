import { describe, expect, it } from 'vitest';
import { commandWire } from '../../gateway/dashboard/command-wire.ts';
import { deviceWire } from '../../gateway/dashboard/device-wire.ts';
import type { Instant } from '../../gateway/domain/time.ts';
import { at, device, field, History } from '../support/histories.ts';

const SPEC = device([field('target_temperature', { approval: { type: 'outside', low: 18, high: 22 } })]);
const READER = { name: 'somebody', can: ['read'] } as const;

/** The clock was not set when everything began, and is 20 years ahead of that since. */
const JUMP_MS = 20 * 365 * 24 * 3_600_000;
const afterTheJump = (ms: number): Instant => ({ mono: ms, wall: at(ms).wall + JUMP_MS });
const iso = (ms: number) => new Date(afterTheJump(ms).wall).toISOString();

describe('after a jump of the wall clock', () => {
  it('what was read before is as old as it is', () => {
    const known = { value: 20, at: at(1_000), live: true };
    const state = {
      values: { target_temperature: known },
      online: true,
      onlineAt: at(0),
      heardAt: at(2_000),
      push: {},
    };
    const told = deviceWire({ spec: SPEC, state, reachable: true }, afterTheJump(5_000));
    expect([told.heard_at, told.fields[0]?.at]).toEqual([iso(2_000), iso(1_000)]);
  });

  it('a question that waits and a deadline that is to come are as far away as they are', () => {
    const tell = ({ actuation }: History) =>
      commandWire(actuation, READER, { usualMs: null, drifts: 0, now: afterTheJump(5_000) });
    const asked = new History(SPEC, { target_temperature: 20 }, { target_temperature: 30 });
    expect(tell(asked).question?.until).toBe(iso(900_000));
    const sent = new History(SPEC, { target_temperature: 20 }, { target_temperature: 21 }).sent(1_000);
    expect(tell(sent).deadline_at).toBe(iso(11_000));
    const ended = sent.report(2_000, { target_temperature: 21 });
    expect(tell(ended).deadline_at).toBe(new Date(at(11_000).wall).toISOString());
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../gateway/config/load.ts';
import { shippedPath } from '../../gateway/config/shipped.ts';
import {
  acted,
  decidedByTruth,
  echoed,
  fewReads,
  observed,
  promptly,
  received,
  sensorsSay,
  sent,
  staysCancelled,
  timestamps,
  verdict,
} from '../../scripts/replay/expectations.ts';
import { scaleVerify } from '../../scripts/replay/home-file.ts';
import { reportOf, tally } from '../../scripts/replay/report.ts';
import type { Expectation, Row, Seen } from '../../scripts/replay/scenario.ts';
import { scenarios } from '../../scripts/replay/scenarios.ts';

const SETTLED_MS = Date.parse('2026-01-01T00:00:04.500Z');

/** A setpoint that was verified 480 ms after the device had moved. */
const VERIFIED: Seen = {
  taskId: 'a',
  createdAt: '2026-01-01T00:00:00.000Z',
  settledAt: new Date(SETTLED_MS).toISOString(),
  status: 'completed',
  isError: false,
  result: {
    verdict: 'verified',
    reason: null,
    fields: {
      target_temperature: { sent: 26, before: 24, observed: 26, observed_at: new Date(SETTLED_MS - 400).toISOString() },
    },
    elapsed_ms: 4_490,
    reads: 5,
  },
  truth: {
    received: [{ type: 'command', command: 1, body: { temperature: 26 } }],
    acted: moved(SETTLED_MS - 480),
  },
  sensors: { power: 'On', temperature: 26 },
  heard: [{ epoch_ms: SETTLED_MS - 4_000, topic: 'ac/state', payload: { temperature: 26 } }],
  rows: [],
};

function moved(epochMs: number): Seen['truth']['acted'] {
  return [{ type: 'actuation', command: 1, epoch_ms: epochMs, changes: { temperature: { from: 24, to: 26 } } }];
}

function rows(...statuses: string[]): Row[] {
  return statuses.map((status, index) => ({ at_ms: index * 1_000, status, message: '', sensors: null }));
}

describe('an expectation', () => {
  const [nothing, ignored]: readonly [Seen, Seen] = [
    { ...VERIFIED, status: 'failed', result: null, truth: { received: [], acted: [] }, sensors: null },
    { ...VERIFIED, isError: true, result: VERIFIED.result && { ...VERIFIED.result, verdict: 'ignored', reads: 9 } },
  ];
  const cancelled = { ...VERIFIED, status: 'cancelled', rows: rows('working', 'cancelled', 'cancelled') };

  it.each<[string, Expectation, Seen, readonly Seen[]]>([
    ['verdict', verdict('verified'), VERIFIED, [nothing, ignored, { ...VERIFIED, isError: true }]],
    ['sent', sent({ target_temperature: 26 }), VERIFIED, [nothing]],
    ['observed', observed({ target_temperature: 26 }), VERIFIED, [nothing]],
    ['timestamps', timestamps(), VERIFIED, [{ ...VERIFIED, settledAt: VERIFIED.createdAt }]],
    ['received', received({ temperature: 26 }), VERIFIED, [nothing]],
    ['acted', acted({ temperature: 26 }), VERIFIED, [nothing]],
    ['nothing received', received(), nothing, [VERIFIED]],
    ['nothing done', acted(), nothing, [VERIFIED]],
    ['sensors', sensorsSay({ power: 'On' }), VERIFIED, [nothing, { ...VERIFIED, sensors: { power: 'ON' } }]],
    [
      'lateness',
      promptly(480),
      VERIFIED,
      [nothing, { ...VERIFIED, settledAt: new Date(SETTLED_MS + 1).toISOString() }],
    ],
    [
      'decided by the truth',
      decidedByTruth('target_temperature'),
      VERIFIED,
      [nothing, { ...VERIFIED, truth: { ...VERIFIED.truth, acted: moved(SETTLED_MS - 300) } }],
    ],
    [
      'echo',
      echoed('temperature', 26),
      VERIFIED,
      [
        { ...VERIFIED, heard: [] },
        { ...VERIFIED, truth: { ...VERIFIED.truth, acted: moved(SETTLED_MS - 4_500) } },
      ],
    ],
    ['reads', fewReads(8), VERIFIED, [nothing, ignored]],
    [
      'cancelled',
      staysCancelled(),
      cancelled,
      [VERIFIED, { ...cancelled, rows: rows('working', 'cancelled', 'completed') }],
    ],
  ])('on %s is met where it is true and missed where it is not', (_, expectation, good, bad) => {
    expect(expectation(good)).toMatchObject({ passed: true });
    for (const seen of bad) expect(expectation(seen)).toMatchObject({ passed: false });
  });

  it('counts in the tally that the exit code is made from', () => {
    const [setpoint] = scenarios(4_000);
    if (!setpoint) throw new Error('there is a first scenario');
    expect(tally([reportOf(setpoint, VERIFIED)])).toEqual({ passed: setpoint.expect.length, failed: 0 });
    expect(tally([reportOf(setpoint, VERIFIED), reportOf(setpoint, ignored)])).toMatchObject({ failed: 2 });
  });
});

describe('the scaled home', () => {
  it('differs from the shipped one in the times of its verification alone', async () => {
    const shipped = readFileSync(shippedPath('demo.yaml'), 'utf8');
    const scaled = scaleVerify(shipped, 0.1);
    const changed = scaled.split('\n').filter((line, index) => line !== shipped.split('\n')[index]);
    const { devices } = await loadConfig(shippedPath('demo.yaml'), {});
    const [ac] = Object.values(devices);
    const tenth = (ac?.verify.poll ?? []).map((ms) => `${ms / 10}ms`).join(', ');
    expect(changed.map((line) => line.trim())).toEqual([
      `poll: [${tenth}]`,
      `deadline: ${(ac?.verify.deadline ?? 0) / 10}ms`,
    ]);
  });
});

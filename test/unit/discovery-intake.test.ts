import { beforeEach, describe, expect, it } from 'vitest';
import { Intake } from '../../gateway/devices/discovery/intake.ts';
import { LeftOut } from '../../gateway/devices/discovery/left-out.ts';
import { RecordingLog } from '../support/logs.ts';
import { quiet, VirtualClock } from '../support/virtual-clock.ts';

let clock: VirtualClock;
let taken: string[];
let refused: Map<string, string>;
let intake: Intake;

beforeEach(() => {
  clock = new VirtualClock();
  taken = [];
  refused = new Map();
  intake = new Intake({
    clock,
    take: async (topic, text) => void taken.push(`${topic} ${text.slice(0, 8)}`),
    refuse: (topic, reason) => void refused.set(topic, reason),
  });
});

function push(topic: string, payload: string | Uint8Array = ''): void {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  intake.push({ topic, payload: bytes, retained: false, at: clock.now() });
}

/** Lets `ms` pass, and everything be taken that may be by then. */
async function pass(ms: number): Promise<void> {
  for (let before = -1; before < taken.length; await quiet()) before = taken.length;
  await clock.pass(ms);
  for (let before = -1; before < taken.length; await quiet()) before = taken.length;
}

describe('what waits to be looked at', () => {
  it('is the latest message of each topic, in the order of the first', async () => {
    push('a', '1');
    push('b', '1');
    push('a', '2');
    await intake.idle();
    expect(taken).toEqual(['a 2', 'b 1']);
  });

  it('are 5,000 topics at most; a newer message of one of them is no more', async () => {
    for (let index = 0; index < 5_001; index += 1) push(`t${index}`);
    push('t7', 'newer');
    expect([...refused]).toEqual([['t5000', 'too many messages wait to be looked at']]);
    await pass(0);
    expect(taken).toContain('t7 newer');
    await intake.stop();
  });

  it('are 16 MiB at most, and what was looked at counts no more', async () => {
    const large = new Uint8Array(256 * 1024);
    for (let index = 0; index < 64; index += 1) push(`t${index}`, large);
    push('t3', large);
    expect(refused.size).toBe(0);
    push('one more', 'x');
    expect([...refused.keys()]).toEqual(['one more']);
    await intake.idle();
    push('later', large);
    await intake.idle();
    expect(taken).toHaveLength(65);
  });

  it('is no message of more than 256 KiB', async () => {
    push('a', new Uint8Array(256 * 1024 + 1));
    await intake.idle();
    expect(taken).toEqual([]);
    expect(refused.get('a')).toMatch(/larger than 262144 bytes/);
  });
});

describe('the rate', () => {
  it('is a thousand at once and then twenty a second', async () => {
    for (let index = 0; index < 1_100; index += 1) push(`t${index}`);
    await pass(0);
    expect(taken).toHaveLength(1_000);
    await pass(1_000);
    expect(taken).toHaveLength(1_020);
    await pass(4_000);
    expect(taken).toHaveLength(1_100);
  });

  it('grows again while nothing comes', async () => {
    for (let index = 0; index < 1_000; index += 1) push(`t${index}`);
    await intake.idle();
    await clock.pass(10_000);
    for (let index = 0; index < 300; index += 1) push(`t${index}`);
    await pass(0);
    expect(taken).toHaveLength(1_200);
    await pass(500);
    expect(taken).toHaveLength(1_210);
    await intake.stop();
    expect(taken).toHaveLength(1_210);
  });
});

it('what is left out is told once each, and a thousand times at most', () => {
  const log = new RecordingLog();
  const leftOut = new LeftOut(log);
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 1_100; index += 1) leftOut.add(`t${index}`, '', 'no JSON');
  }
  expect(log.lines).toHaveLength(1_001);
  expect(log.lines.at(-1)?.message).toMatch(/more announcements are left out/);
  expect(leftOut.list()).toHaveLength(1_000);
  leftOut.add('t0', '', 'another reason');
  leftOut.remove('t1');
  leftOut.add('t1', 'part', 'no topic');
  expect(leftOut.list().filter(({ topic }) => ['t0', 't1'].includes(topic))).toEqual([
    { topic: 't0', component: '', reason: 'another reason' },
    { topic: 't1', component: 'part', reason: 'no topic' },
  ]);
});

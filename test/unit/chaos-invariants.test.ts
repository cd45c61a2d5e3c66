import { describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { result } from '../../gateway/domain/result.ts';
import { checkInvariants } from '../../scripts/chaos/invariants.ts';
import { Told } from '../../scripts/chaos/told.ts';
import { Truth, type TruthLine } from '../../scripts/support/truth.ts';
import { actuation } from '../support/actuations.ts';

const at = (wall: number) => ({ mono: wall, wall });

/** A command for 26 degrees, made at 1,000, sent at 1,010 and settled at 2,000. */
function settled(traits: Partial<Actuation> = {}): Actuation {
  const made = actuation({ taskId: 'a', deviceId: 'ac', set: { target_temperature: 26 }, createdWall: 1_000 });
  const outcome = { type: 'verdict', verdict: 'verified', reason: null, at: at(2_000) } as const;
  return { ...made, phase: 'settled', sentAt: at(1_010), outcome, ...traits };
}

const unsent: Partial<Actuation> = {
  sentAt: null,
  outcome: { type: 'verdict', verdict: 'superseded', reason: 'newer_command', at: at(2_000) },
};

function told(...records: readonly Actuation[]): Told {
  const all = new Told();
  for (const record of records) {
    const structuredContent: unknown = JSON.parse(JSON.stringify(result(record)));
    all.hear({ taskId: record.taskId, status: 'completed', result: { structuredContent } });
  }
  return all;
}

const start: TruthLine = { type: 'start', device: 'ac', state: { temperature: 22 } };
const received = (temperature: number, epoch_ms: number): TruthLine => ({
  type: 'command',
  device: 'ac',
  epoch_ms,
  body: { temperature },
});
const acted = (to: number, epoch_ms: number): TruthLine => ({
  type: 'actuation',
  device: 'ac',
  epoch_ms,
  changes: { temperature: { to } },
});

/** The names of the invariants that do not hold. */
function broken(words: Told, records: readonly Actuation[], ...lines: readonly TruthLine[]): string[] {
  return checkInvariants({ told: words, records, truth: new Truth([start, ...lines]) })
    .filter(({ violations }) => violations.length > 0)
    .map(({ name }) => name);
}

describe('the accounts of commands', () => {
  it('agree where the command arrived once and the device did it', () => {
    const record = settled();
    expect(broken(told(record), [record], received(26, 1_020), acted(26, 1_200))).toEqual([]);
  });

  it('disagree where a client has a task that is not stored', () => {
    expect(broken(told(settled()), [])).toEqual(['every task id that a client received is there']);
  });

  it('disagree where a client was told that there is no such task', () => {
    const record = settled(unsent);
    const words = told(record);
    words.hearUnknown('a');
    expect(broken(words, [record])).toEqual(['every task id that a client received is there']);
  });

  it('disagree where a task never ends', () => {
    const record = settled({ phase: 'verifying', outcome: null });
    expect(broken(new Told(), [record], received(26, 1_020))).toEqual(['every task has ended']);
  });

  it('disagree where a settled task is told otherwise later', () => {
    const record = settled(unsent);
    const words = told(record);
    words.hear({ taskId: 'a', status: 'cancelled' });
    expect(broken(words, [record])).toEqual(['a settled task never changed']);
  });

  it('disagree where the store has another verdict than the client', () => {
    expect(broken(told(settled()), [settled(unsent)])).toEqual(['a settled task never changed']);
  });

  it('disagree where a device received what no task holds', () => {
    expect(broken(new Told(), [], received(26, 1_020))).toEqual([
      'every command that reached a device belongs to a task',
    ]);
  });

  it('disagree where a command arrived before its task was made', () => {
    expect(broken(new Told(), [settled(unsent)], received(26, 900))).toEqual([
      'every command that reached a device belongs to a task',
    ]);
  });

  it('disagree where a command arrived twice', () => {
    const lines = [received(26, 1_020), acted(26, 1_200), received(26, 1_400)];
    expect(broken(new Told(), [settled()], ...lines)).toEqual(['no command reached a device twice']);
  });

  it('agree where the same wish came back as a task of its own', () => {
    const again = settled({ taskId: 'b', createdAt: at(3_000), sentAt: at(3_010) });
    const record = settled();
    const lines = [received(26, 1_020), acted(26, 1_200), received(26, 3_020)];
    expect(
      broken(new Told(), [record, { ...again, outcome: { ...record.outcome, at: at(4_000) } as never }], ...lines),
    ).toEqual([]);
  });

  it.each([
    ['superseded', unsent],
    ['cancelled', { outcome: { type: 'cancelled', sent: false, at: at(2_000) } }],
  ] as const)('disagree where one that is %s and not sent arrived', (_, traits) => {
    expect(broken(new Told(), [settled(traits)], received(26, 1_020))).toEqual([
      'no command reached a device that its task says was not sent',
    ]);
  });

  it.each([
    ['never did it', []],
    ['did it after the verdict', [acted(26, 2_100)]],
    ['had done it before, and something else since', [acted(26, 500), acted(24, 900)]],
  ])('disagree where it is verified and the device %s', (_, lines) => {
    expect(broken(new Told(), [settled()], ...lines, received(26, 1_020))).toEqual([
      'nothing was verified that the device did not do',
    ]);
  });
});

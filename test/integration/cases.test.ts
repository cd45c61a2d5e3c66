import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Case, CaseFileError, readCases } from '../../scripts/cases/case.ts';
import { judgedLine } from '../../scripts/cases/report.ts';
import { runCases } from '../../scripts/cases/run.ts';

/** Twice the speed of the long form: the clock of the cases stands still while the machine is busy. */
const SPEED = 20;

async function casesOf(file: string): Promise<Case[]> {
  return readCases(await readFile(new URL(`../fixtures/cases/${file}`, import.meta.url), 'utf8'), file);
}

/** A lamp that is told by MQTT and says at once that it is on. */
const LAMP = {
  id: 'lamp',
  kind: 'light/mqtt/plain',
  device: {
    kind: 'light',
    fields: { power: { write: { topic: 'l/set' }, read: { topic: 'l/state' }, options: ['on', 'off'] } },
    verify: { echo: '0s', settle: '1s', deadline: '4s' },
  },
  initial: { power: 'off' },
  set: { power: 'on' },
  mqtt: [{ at: 500, topic: 'l/state', payload: 'on' }],
  expect: { verdict: 'verified' },
} as const;

async function judge(over: Record<string, unknown>, speed = SPEED) {
  const [judged] = await runCases(readCases(JSON.stringify({ ...LAMP, ...over }), 'test'), speed);
  if (!judged) throw new Error('nothing was judged');
  return judged;
}

const missed = async (expectation: object) =>
  (await judge({ expect: { verdict: 'verified', ...expectation } })).misses.map((miss) => miss.expectation);

describe('situations that people met', () => {
  // The long form is `npm run cases` with the whole files, which CI runs as well.
  it('end in the only right verdict, one of each kind', async () => {
    const all = [...(await casesOf('public.jsonl')), ...(await casesOf('own.jsonl'))];
    const kinds = new Map(all.map((situation) => [situation.kind, situation]));
    const judged = await runCases([...kinds.values()].slice(0, 40), SPEED);
    expect(judged.filter(({ misses }) => misses.length > 0).map(judgedLine)).toEqual([]);
    expect(judged).toHaveLength(40);
  }, 60_000);
});

describe('the case runner', () => {
  it('counts time from the moment in which the device received the command', async () => {
    const judged = await judge({ expect: { verdict: 'verified', not_before: 1450, not_after: 1600 } }, 1);
    expect(judged).toMatchObject({ verdict: 'verified', misses: [] });
    expect(judged.verdict_at).toBeGreaterThanOrEqual(1450);
  });

  it('misses whatever was expected and did not come', async () => {
    expect(await missed({ verdict: 'ignored', reason: 'no_reaction' })).toEqual(['verdict', 'reason']);
    expect(await missed({ fields: { power: 'mismatch' } })).toEqual(['fields.power']);
    expect(await missed({ observed: { power: 'off' } })).toEqual(['observed.power']);
    expect(await missed({ not_before: 60_000 })).toEqual(['not_before']);
    expect(await missed({ sent: { topic: 'l/set', payload: 'off' } })).toEqual(['sent']);
    expect(await missed({ sent: null })).toEqual(['commands', 'sent']);
    expect(await missed({ commands: 0 })).toEqual(['commands']);
    expect(await missed({ event: { type: 'drifted', at: 3_000 } })).toEqual(['event.drifted']);
  });

  it('misses a verdict that comes too late', async () => {
    const late = { mqtt: [{ at: 2_000, topic: 'l/state', payload: 'on' }] };
    const { misses } = await judge({ ...late, expect: { verdict: 'verified', not_after: 1_000 } }, 1);
    expect(misses).toMatchObject([{ expectation: 'not_after', expected: 1_000 }]);
  });

  it('keeps a question apart from a command', async () => {
    const fields = {
      power: {
        write: { topic: 'l/set' },
        read: { topic: 'l/state' },
        read_now: { topic: 'l/set', payload: '' },
        options: ['on', 'off'],
      },
    };
    const answers = [{ topic: 'l/set', payload: '', after: 100, reply: { topic: 'l/state', payload: 'on' } }];
    const { misses } = await judge({ device: { ...LAMP.device, fields }, mqtt: [], answers });
    expect(misses).toEqual([]);
  });

  it('fails a case whose device cannot be carried out, and says why', async () => {
    const judged = await judge({ device: { ...LAMP.device, colour: 'red' } });
    expect(judgedLine(judged)).toMatch(/^FAIL {2}lamp: play expected .*unknown key "colour"/);
  });

  it('refuses a line that is no case, with its number', () => {
    expect(() => readCases(`${JSON.stringify(LAMP)}\n\n{"id": "x"}`, 'f.jsonl')).toThrow(CaseFileError);
    expect(() => readCases(`${JSON.stringify(LAMP)}\n\n{"id": "x"}`, 'f.jsonl')).toThrow(/^f\.jsonl:3: device/);
  });
});

import { expect, it } from 'vitest';
import { EVIDENCE_MEANINGS, REASON_MEANINGS, VERDICT_MEANINGS } from '../../gateway/domain/meanings.ts';
import { REASONS, VERDICTS } from '../../gateway/domain/verdict.ts';

it('explains every verdict and every reason, and nothing else', () => {
  expect(Object.keys(VERDICT_MEANINGS)).toEqual([...VERDICTS]);
  expect(Object.keys(REASON_MEANINGS)).toEqual([...REASONS]);
  expect(Object.keys(EVIDENCE_MEANINGS)).toEqual(['0', '1', '2', '3', '4']);
});

it('explains each in its own words, in one line', () => {
  const all = [VERDICT_MEANINGS, REASON_MEANINGS, EVIDENCE_MEANINGS].flatMap((table) => Object.values(table));
  expect(new Set(all).size).toBe(all.length);
  for (const meaning of all) expect(meaning).toMatch(/^[^\n.]{10,110}$/);
});

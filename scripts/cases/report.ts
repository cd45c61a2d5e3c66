import type { Judged } from './run.ts';

/** A case in one line: what came of it and when, or every expectation that was not met. */
export function judgedLine({ id, verdict, reason, verdict_at, misses }: Judged): string {
  if (misses.length === 0) {
    const at = verdict_at === null ? '' : ` after ${(verdict_at / 1000).toFixed(2)} s`;
    return `ok    ${id}: ${verdict}${reason ? `/${reason}` : ''}${at}`;
  }
  const told = misses.map(
    ({ expectation, expected, got }) => `${expectation} expected ${show(expected)}, got ${show(got)}`,
  );
  return `FAIL  ${id}: ${told.join('; ')}`;
}

/** How many passed and how many failed. */
export function totals(judged: readonly Judged[]): { passed: number; failed: number } {
  const failed = judged.filter(({ misses }) => misses.length > 0).length;
  return { passed: judged.length - failed, failed };
}

function show(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ') : (JSON.stringify(value) ?? 'nothing');
}

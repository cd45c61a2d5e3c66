import { describe, expect, it } from 'vitest';
import { applies, judge } from '../../scripts/conformance/judge.ts';
import type { Check, Scenario } from '../../scripts/conformance/suite.ts';

const REVISION = '2026-07-28';
const scenario: Scenario = { name: 'tools-list', appliesTo: ['2025-11-25', REVISION] };

function check(id: string, status: Check['status']): Check {
  return { id, status, errorMessage: `about ${id}` };
}

function failuresOf(checks: readonly Check[] | undefined, excused: readonly string[] = []): readonly string[] {
  const results = new Map(checks ? [[scenario.name, checks]] : []);
  const baseline = excused.map(
    (id) => ({ revision: REVISION, scenario: scenario.name, check: id, reason: 'a test' }) as const,
  );
  const [judged] = judge(REVISION, [scenario], results, baseline);
  return judged?.failures ?? ['nothing was judged'];
}

describe('the judge of the conformance suite', () => {
  it('passes a scenario whose checks succeeded or only warned', () => {
    expect(failuresOf([check('a', 'SUCCESS'), check('b', 'WARNING'), check('c', 'INFO')])).toEqual([]);
  });

  it('fails a scenario that was not run, that has no checks, or that only looked at the wire', () => {
    const nothing = ['it was not run, or looked at nothing'];
    expect(failuresOf(undefined)).toEqual(nothing);
    expect(failuresOf([])).toEqual(nothing);
    expect(failuresOf([check('wire-schema-valid', 'SUCCESS')])).toEqual(nothing);
  });

  it('fails a check that failed or was skipped, unless it is excused', () => {
    expect(failuresOf([check('a', 'FAILURE'), check('b', 'SKIPPED')])).toHaveLength(2);
    expect(failuresOf([check('a', 'FAILURE'), check('b', 'SKIPPED')], ['a', 'b'])).toEqual([]);
  });

  it('fails an excuse that is not needed', () => {
    expect(failuresOf([check('a', 'SUCCESS')], ['a'])).toEqual(['a: is in the baseline and needs no excuse']);
  });

  it('asks for the scenarios of a revision, and for those of the Tasks extension over its own', () => {
    expect(applies(scenario, REVISION)).toBe(true);
    const tasks = { name: 'tasks-lifecycle', appliesTo: ['extension'] };
    expect(applies(tasks, REVISION)).toBe(true);
    expect(applies(tasks, '2025-11-25')).toBe(false);
    expect(applies({ name: 'sep-2640-skills-manifest', appliesTo: ['extension'] }, REVISION)).toBe(false);
  });
});

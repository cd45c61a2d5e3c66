import type { Excused } from './baseline.ts';
import type { Check, Revision, Scenario } from './suite.ts';

/** What came of one scenario over one revision. */
export interface Judged {
  readonly revision: Revision;
  readonly scenario: string;
  readonly passed: number;
  /** What counts against the server, or against the run: one line each. */
  readonly failures: readonly string[];
  /** What a person should know and nobody has to answer for. */
  readonly notes: readonly string[];
}

/** An extension of the protocol that the gateway has, and the revision that its scenarios speak. */
const EXTENSIONS: readonly { readonly prefix: string; readonly revision: Revision }[] = [
  { prefix: 'tasks-', revision: '2026-07-28' },
];

/** Whether a scenario has to be run over a revision. */
export function applies({ name, appliesTo }: Scenario, revision: Revision): boolean {
  if (appliesTo.includes(revision)) return true;
  const extension = EXTENSIONS.find(({ prefix }) => name.startsWith(prefix));
  return appliesTo.includes('extension') && extension?.revision === revision;
}

/**
 * Judges a run. A scenario that should have run and did not, or that looked at nothing, counts as failed, and so does a
 * check that was skipped without being excused, and an excuse that was not needed.
 */
export function judge(
  revision: Revision,
  offered: readonly Scenario[],
  results: ReadonlyMap<string, readonly Check[]>,
  baseline: readonly Excused[],
): Judged[] {
  const due = offered.filter((scenario) => applies(scenario, revision)).map(({ name }) => name);
  const names = [...new Set([...due, ...results.keys()])];
  return names.map((scenario) => {
    const excused = baseline.filter((entry) => entry.revision === revision && entry.scenario === scenario);
    return judgeScenario(revision, scenario, results.get(scenario) ?? [], excused);
  });
}

function judgeScenario(
  revision: Revision,
  scenario: string,
  checks: readonly Check[],
  excused: readonly Excused[],
): Judged {
  const of = (...statuses: Check['status'][]) => checks.filter(({ status }) => statuses.includes(status));
  const excuse = (check: Check) => excused.find(({ check: id }) => id === check.id);
  const bad = of('FAILURE', 'SKIPPED');
  const needed = new Set(bad.map(excuse));
  const stale = excused.filter((entry) => !needed.has(entry));
  // The suite's own look at the wire passes against a dead server too.
  const looked = checks.some(({ id, status }) => status !== 'INFO' && !id.startsWith('wire-schema'));
  return {
    revision,
    scenario,
    passed: of('SUCCESS').length,
    failures: [
      ...(looked ? [] : ['it was not run, or looked at nothing']),
      ...bad.filter((check) => !excuse(check)).map(line),
      ...stale.map(({ check }) => `${check}: is in the baseline and needs no excuse`),
    ],
    notes: [
      ...of('WARNING').map((check) => `warned: ${line(check)}`),
      ...bad.flatMap((check) => {
        const entry = excuse(check);
        return entry ? [`excused: ${check.id}: ${entry.reason}`] : [];
      }),
    ],
  };
}

function line({ id, status, errorMessage, description }: Check): string {
  return `${id}: ${status === 'SKIPPED' ? 'skipped; ' : ''}${errorMessage ?? description ?? ''}`;
}

import type { Revision } from './suite.ts';

/** A check that cannot succeed, through no fault of the server's. */
export interface Excused {
  readonly revision: Revision;
  readonly scenario: string;
  readonly check: string;
  readonly reason: string;
}

/** What the suite itself gets wrong. An entry that is no longer needed fails the run, so that the list stays short. */
export const BASELINE: readonly Excused[] = [
  {
    revision: '2026-07-28',
    scenario: 'tasks-status-notifications',
    check: 'tasks-status-notifications',
    reason: 'the suite has no test behind it yet; test/integration listens to tasks itself',
  },
];

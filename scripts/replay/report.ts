import type { Check, Row, Scenario, Seen } from './scenario.ts';

/** A scenario as it went. */
export interface ScenarioReport {
  readonly id: string;
  readonly title: string;
  readonly fault: Scenario['fault'] | null;
  readonly call: Scenario['call'] | null;
  readonly task_id: string | null;
  readonly created_at: string | null;
  readonly settled_at: string | null;
  readonly rows: readonly Row[];
  readonly result: Seen['result'];
  readonly checks: readonly Check[];
}

/** The whole replay, as `--json` prints it. Times in ms. */
export interface ReplayReport {
  readonly delay_ms: number;
  readonly started_at: string;
  readonly scenarios: readonly ScenarioReport[];
  readonly figures: {
    /** From the change of the reading to the verdict, for the setpoint. */
    readonly late_ms: number | null;
    readonly reads: number | null;
    readonly tool_list_bytes: number;
  };
  readonly total_ms: number;
  readonly passed: number;
  readonly failed: number;
}

/** What came of a command that was followed to its end. */
export function reportOf({ id, title, fault, call, expect }: Scenario, seen: Seen): ScenarioReport {
  return {
    id,
    title,
    fault: fault ?? null,
    call,
    task_id: seen.taskId,
    created_at: seen.createdAt,
    settled_at: seen.settledAt,
    rows: seen.rows,
    result: seen.result,
    checks: expect.map((expectation) => expectation(seen)),
  };
}

/** What was looked at without a command. */
export function reportOfChecks(id: string, title: string, checks: readonly Check[]): ScenarioReport {
  const nothing = { fault: null, call: null, task_id: null, created_at: null, settled_at: null, result: null };
  return { id, title, ...nothing, rows: [], checks };
}

/** How many expectations were met and missed. */
export function tally(scenarios: readonly ScenarioReport[]): { passed: number; failed: number } {
  const checks = scenarios.flatMap((scenario) => scenario.checks);
  const passed = checks.filter((check) => check.passed).length;
  return { passed, failed: checks.length - passed };
}

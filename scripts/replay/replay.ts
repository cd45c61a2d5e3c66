import { performance } from 'node:perf_hooks';
import { MAX_TOOL_LIST_BYTES, SEED_TOOL_LIST_BYTES, toolListBytes } from '../support/tool-list.ts';
import { lateMs } from './expectations.ts';
import { MQTT_DEVICE_IDS, MQTT_SCENARIOS } from './mqtt-scenarios.ts';
import { play } from './play.ts';
import { type ReplayReport, reportOf, reportOfChecks, type ScenarioReport, tally } from './report.ts';
import type { Check, Row, Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import type { Stage } from './stage.ts';
import { askUnknownHandle } from './unknown-handle.ts';

/** Hears the replay as it happens, to show it. */
export interface Narrator {
  opening(stage: Stage): void;
  heading(title: string, scenario?: Scenario): void;
  row(row: Row): void;
  checks(checks: readonly Check[]): void;
  closing(report: ReplayReport): void;
}

/** Plays every scenario, one after another. */
export async function replay(stage: Stage, narrator: Narrator): Promise<ReplayReport> {
  const begun = performance.now();
  const startedAt = new Date().toISOString();
  narrator.opening(stage);
  const reports: ScenarioReport[] = [];
  let figures: { late_ms: number | null; reads: number | null } = { late_ms: null, reads: null };
  const playAndReport = async (scenario: Scenario) => {
    narrator.heading(scenario.title, scenario);
    const seen = await play(scenario, stage, (row) => narrator.row(row));
    if (scenario.id === 'setpoint') figures = { late_ms: lateMs(seen) ?? null, reads: seen.result?.reads ?? null };
    reports.push(shown(narrator, reportOf(scenario, seen)));
  };
  for (const scenario of scenarios(stage.delayMs)) await playAndReport(scenario);
  narrator.heading('A handle that nobody gave out');
  reports.push(
    shown(narrator, reportOfChecks('unknown_handle', 'A handle that nobody gave out', await askUnknownHandle(stage))),
  );
  const bytes = await toolListBytes(stage.client);
  narrator.heading('What the tools cost a model on every turn');
  reports.push(
    shown(narrator, reportOfChecks('tool_list', 'What the tools cost a model on every turn', [affordable(bytes)])),
  );
  // Not before: the list of tools is measured for the home as it is shipped.
  await stage.joinMqttDevices(
    MQTT_DEVICE_IDS,
    MQTT_SCENARIOS.flatMap(({ stateTopic }) => stateTopic ?? []),
  );
  for (const scenario of MQTT_SCENARIOS) await playAndReport(scenario);
  const report = {
    delay_ms: stage.delayMs,
    started_at: startedAt,
    scenarios: reports,
    figures: { ...figures, tool_list_bytes: bytes },
    total_ms: Math.round(performance.now() - begun),
    ...tally(reports),
  };
  narrator.closing(report);
  return report;
}

function shown(narrator: Narrator, report: ScenarioReport): ScenarioReport {
  narrator.checks(report.checks);
  return report;
}

function affordable(bytes: number): Check {
  const number = (value: number) => value.toLocaleString('en');
  return {
    what: 'tool list',
    expected: `at most ${number(MAX_TOOL_LIST_BYTES)} bytes`,
    found: `${number(bytes)} bytes of JSON (the first text: ${number(SEED_TOOL_LIST_BYTES)})`,
    passed: bytes <= MAX_TOOL_LIST_BYTES,
  };
}

import { findingLines, findingTotals, listed } from '../support/finding.ts';
import type { ChaosReport } from './chaos.ts';

/** Violations that are listed of each invariant. */
const LISTED = 5;

/** The report for a person; its last line is the totals. */
export function summary({ seed, invariants, figures, kept }: ChaosReport): string {
  const { duration_ms, kills, kills_by_place, commands, answers, tasks, received, outcomes } = figures;
  return [
    '',
    ...findingLines(invariants, LISTED),
    '',
    `kills     ${kills}: ${listed(kills_by_place)}`,
    `commands  ${commands}, answered with: ${listed(answers)}`,
    `tasks     ${tasks}, of which ${received} reached a device: ${listed(outcomes)}`,
    `duration  ${(duration_ms / 1_000).toFixed(1)} s`,
    ...(kept === null ? [] : [`the data, and what really happened (truth.jsonl), are kept in ${kept}`]),
    `seed ${seed}: ${findingTotals(invariants)}`,
  ].join('\n');
}

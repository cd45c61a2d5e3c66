import { findingLines, findingTotals, listed } from '../support/finding.ts';
import type { SoakReport } from './soak.ts';

/** Violations that are listed of each finding. */
const LISTED = 8;

/** The report for a person; its last line is the totals. */
export function summary({ seed, findings, figures, kept }: SoakReport): string {
  const { minutes, devices, commands, faults, broker_restarts, outcomes, heap_mb, rss_mb } = figures;
  return [
    '',
    ...findingLines(findings, LISTED),
    '',
    `minutes   ${minutes}, with ${devices} devices`,
    `memory    heap from ${heap_mb.from.toFixed(1)} to ${heap_mb.to.toFixed(1)} MB, process from ${rss_mb.from.toFixed(0)} to ${rss_mb.to.toFixed(0)} MB`,
    `commands  ${commands}, of which ${faults} met a fault; the broker restarted ${broker_restarts} times`,
    `verdicts  ${listed(outcomes)}`,
    ...(kept === null ? [] : [`the data, and what really happened (truth.jsonl), are kept in ${kept}`]),
    `seed ${seed}: ${findingTotals(findings)}`,
  ].join('\n');
}

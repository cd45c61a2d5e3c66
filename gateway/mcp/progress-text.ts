import type { Actuation } from '../domain/actuation.ts';
import { sentence } from '../domain/sentence.ts';

/**
 * A command under way, told while its client waits: what was sent and seen, where that is read, and how long it usually
 * takes.
 * @param usualMs null where that is not known yet
 */
export function progressText(actuation: Actuation, usualMs: number | null): string {
  const text = sentence(actuation);
  if (actuation.phase !== 'verifying') return text;
  const usual = usualMs === null ? '' : ` It usually takes about ${(usualMs / 1_000).toFixed(1)} s.`;
  return `${text} ${whereRead(actuation)}${usual}`;
}

function whereRead({ fields, reads }: Actuation): string {
  const pushed = fields.some(({ readback }) => readback.push);
  const asked = fields.some(({ readback }) => readback.askable);
  const often = `asked it ${reads === 1 ? 'once' : `${reads} times`} so far`;
  if (pushed && asked) return `Listening to the device's reports; ${often}.`;
  if (pushed) return "Listening to the device's reports.";
  return asked ? `Reading from the device itself; ${often}.` : 'Nothing can be read back from this device.';
}

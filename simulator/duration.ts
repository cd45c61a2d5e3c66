import { InputError } from './core/errors.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/**
 * A duration as people type it: `250ms`, `4s`, `1.5s`, `2m`.
 * @returns whole milliseconds
 * @throws InputError
 */
export function parseDurationMs(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text.trim()) ?? [];
  const unitMs = UNITS_MS[unit];
  if (number === undefined || unitMs === undefined) {
    throw new InputError(`${JSON.stringify(text)} is no duration: write 250ms, 4s or 2m`);
  }
  return Math.round(Number(number) * unitMs);
}

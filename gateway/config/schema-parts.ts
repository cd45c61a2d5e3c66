import * as z from 'zod';
import { suggest } from './nearest.ts';

/** Timers of Node cannot wait longer than 2^31 - 1 ms (24.8 days). */
const LONGEST_MS = 480 * 3_600_000;
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const HOW_TO_WRITE = 'a duration is a number and its unit: 500ms, 5s, 2m or 1h (at most 480h)';

/** An object that refuses keys it does not know. Its message has one line for each unknown key, in the issue's order. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      return issue.keys.map((key) => `unknown key "${key}"; ${suggest(key, allowed, 'allowed keys')}`).join('\n');
    },
  });
}

function toMs(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined) return undefined;
  const ms = Math.round(Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  return ms <= LONGEST_MS ? ms : undefined;
}

/** `500ms`, `5s`, `2m`, `1h` or 0, as milliseconds. Other plain numbers are refused: their unit would be a guess. */
export const duration = z
  .union([z.literal(0), z.string().regex(/^\d+(\.\d+)?(ms|s|m|h)$/, HOW_TO_WRITE)], { error: HOW_TO_WRITE })
  .transform((written, context) => {
    const ms = written === 0 ? 0 : toMs(written);
    if (ms !== undefined) return ms;
    context.issues.push({ code: 'custom', input: written, message: HOW_TO_WRITE });
    return z.NEVER;
  });

/** A duration after which something happens again: 0 would keep the device busy without a pause. */
export const gap = duration.refine((ms) => ms > 0, 'must be longer than 0');

const UNIT_BYTES = { b: 1, kb: 2 ** 10, mb: 2 ** 20 } as const;
const HOW_TO_WRITE_SIZES = 'a size is a whole number and its unit: 16kb or 1mb (at most 64mb)';
const LARGEST_BYTES = 2 ** 26;

/** `512b`, `16kb` or `1mb`, as bytes. */
export const size = z.string({ error: HOW_TO_WRITE_SIZES }).transform((written, context) => {
  const [, number, unit] = /^(\d{1,9})(b|kb|mb)$/i.exec(written) ?? [];
  const bytes = Number(number) * UNIT_BYTES[(unit?.toLowerCase() ?? 'b') as keyof typeof UNIT_BYTES];
  if (bytes > 0 && bytes <= LARGEST_BYTES) return bytes;
  context.issues.push({ code: 'custom', input: written, message: HOW_TO_WRITE_SIZES });
  return z.NEVER;
});

/** A text with at least one character. */
export const text = z.string().min(1, 'must not be empty');

/** A word that YAML may have read as a number: `options: [1, 2, auto]`. */
export const word = z
  .union([z.string(), z.number()], { error: 'expected a word or a number; write on and off instead of true and false' })
  .transform(String);

/** A value in our words. */
export const value = z.union([z.string(), z.number()], {
  error: 'expected a word or a number; write on and off instead of true and false',
});

/** A Jinja2 template, as it is written. */
export const template = text;

/** A device id or a field name. */
export const identifier = z
  .string()
  .regex(/^[a-z0-9_]+$/, 'a name is made of small letters, digits and underscores: living_room_ac');

import type { FieldSpec } from './field.ts';

/** A field's value in our words. Switch-like fields use `on` and `off`, never booleans. */
export type Value = string | number;

/**
 * Words by which devices say "no value", in any case. A field's own options are looked up first, so that a preset
 * called `none` is a value where it is offered and no opinion elsewhere.
 */
const NULL_WORDS = new Set(['', '--', 'none', 'null', 'na', 'n/a', 'nan', 'unknown', 'unavailable', 'undefined']);

const ON_WORDS = new Set(['on', 'true', '1', 'yes']);
const OFF_WORDS = new Set(['off', 'false', '0', 'no']);

const fold = (word: string) => word.trim().toLowerCase();

/**
 * What a device's word means for a field.
 * @returns our value; null where the device says "no value"; undefined where it says nothing usable (a missing key, an
 *   object, a number that is none)
 */
export function decode(spec: FieldSpec, raw: unknown): Value | null | undefined {
  if (raw === undefined) return undefined;
  if (raw === null) return null;
  if (typeof raw === 'object' || typeof raw === 'function' || typeof raw === 'symbol') return undefined;
  const word = String(raw).trim();
  // Bytes that were no text: whatever the device said, it was not this.
  if (word.includes('\ufffd')) return undefined;
  if (spec.nulls.some((nil) => fold(nil) === fold(word))) return null;
  const mapped = lookUp(spec, word);
  if (mapped !== undefined) return spec.compare.type === 'number' ? toNumber(mapped, 1) : canonical(spec, mapped);
  if (spec.compare.type === 'number') return NULL_WORDS.has(fold(word)) ? null : toNumber(word, spec.scale);
  return canonical(spec, word);
}

/** Our word for a device's, by `map`: to the letter first, then without case, then as on/off synonyms. */
function lookUp(spec: FieldSpec, word: string): Value | undefined {
  const exact = spec.map.find(([device]) => device === word);
  const folded = exact ?? spec.map.find(([device]) => fold(device) === fold(word));
  if (folded) return folded[1];
  const twin = spec.map.find(([device]) => sameSwitchWord(device, word));
  return twin?.[1];
}

function sameSwitchWord(a: string, b: string): boolean {
  return (ON_WORDS.has(fold(a)) && ON_WORDS.has(fold(b))) || (OFF_WORDS.has(fold(a)) && OFF_WORDS.has(fold(b)));
}

/** The spelling that `options` or `map` gives a word of ours; on/off for switch words; null for a null word. */
function canonical(spec: FieldSpec, value: Value): Value | null {
  const word = String(value).trim();
  const known = knownWords(spec);
  const found = known?.find((option) => fold(option) === fold(word));
  if (found !== undefined) return found;
  const alias = Object.entries(spec.alias).find(([from]) => fold(from) === fold(word));
  if (alias) return alias[1];
  const twin = known?.find((option) => sameSwitchWord(option, word));
  if (twin !== undefined) return twin;
  if (NULL_WORDS.has(fold(word))) return null;
  if (!known && typeof value === 'string') {
    if (fold(word) === 'on' || fold(word) === 'true') return 'on';
    if (fold(word) === 'off' || fold(word) === 'false') return 'off';
  }
  return word;
}

/** The words a field can take, or undefined where it takes any. */
export function knownWords(spec: FieldSpec): readonly string[] | undefined {
  if (spec.options) return spec.options;
  if (spec.map.length > 0) return [...new Set(spec.map.map(([, ours]) => String(ours)))];
  return undefined;
}

function toNumber(value: Value, scale: number): number | undefined {
  const text = String(value).trim();
  // Number('') is 0 and Number('0x10') is 16: neither is a reading.
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text) * scale;
  return Number.isFinite(number) ? tidy(number) : undefined;
}

/** Removes the noise of binary fractions that a scale brings in: 0.1 × 3 is 0.3. */
function tidy(number: number): number {
  return Number(number.toPrecision(12));
}

/** A wish in our words, brought to the field's spelling or number type; undefined where it cannot be one. */
export function parseWish(spec: FieldSpec, wish: unknown): Value | undefined {
  if (typeof wish === 'boolean') return parseWish(spec, wish ? 'on' : 'off');
  if (typeof wish !== 'string' && typeof wish !== 'number') return undefined;
  if (spec.compare.type === 'number') {
    if (typeof wish === 'number') return Number.isFinite(wish) ? wish : undefined;
    return toNumber(wish, 1);
  }
  return canonical({ ...spec, alias: {} }, wish) ?? undefined;
}

/** The device's word for one of ours: what templates see as `want` and `value`. */
export function encode(spec: FieldSpec, value: Value): string | number {
  const mapped = spec.map.find(([, ours]) => fold(String(ours)) === fold(String(value)));
  if (mapped) return mapped[0];
  if (typeof value === 'number' && spec.scale !== 1) return tidy(value / spec.scale);
  return value;
}

/** Whether two values of a field are the same, by its kind of comparison. */
export function equal(compare: FieldSpec['compare'], a: Value, b: Value): boolean {
  if (compare.type === 'number') {
    // The extra billionth keeps 20.3 and 20.299999999999997 equal at tolerance 0 and 0.05 inside 0.05.
    return Math.abs(Number(a) - Number(b)) <= compare.tolerance + 1e-9;
  }
  return fold(String(a)) === fold(String(b));
}

/** Number of decimals in which a step is written: 0.5 has one. */
export function decimalsOf(step: number): number {
  const text = step.toString();
  if (text.includes('e-')) return Number(text.slice(text.indexOf('e-') + 2));
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** A number on the field's grid (counted from `min` where there is one), or on its levels. Without both nothing is changed. */
export function snap(
  spec: Pick<FieldSpec, 'step' | 'min' | 'max'> & Partial<Pick<FieldSpec, 'map'>>,
  value: number,
): number {
  const { step } = spec;
  if (step === undefined) return nearestLevel(spec, value);
  const origin = spec.min ?? 0;
  const snapped = origin + Math.round((value - origin) / step) * step;
  return Number(snapped.toFixed(Math.max(decimalsOf(step), decimalsOf(origin))));
}

/** A map of at least this many numbers lists all that there are, such as a fan's speeds in per cent; fewer are exceptions. */
const FEWEST_LEVELS = 3;

function nearestLevel(
  { map = [], min = -Infinity, max = Infinity }: Parameters<typeof snap>[0],
  value: number,
): number {
  const levels = map.map(([, ours]) => Number(ours)).filter((level) => level >= min && level <= max);
  if (map.length < FEWEST_LEVELS || value < min || value > max) return value;
  return levels.reduce(
    (best, level) => (Math.abs(level - value) < Math.abs(best - value) ? level : best),
    levels[0] ?? value,
  );
}

/** A value as it is printed for the device and for people: with the step's decimals (22.0). */
export function print(spec: Pick<FieldSpec, 'step'>, value: string | number): string {
  if (typeof value !== 'number' || spec.step === undefined) return String(value);
  return value.toFixed(decimalsOf(spec.step));
}

import type { Refusal } from './actuation.ts';
import type { DeviceSpec } from './device.ts';
import type { FieldSpec, LimitBy } from './field.ts';
import type { DeviceState } from './reading.ts';
import { equal, knownWords, parseWish, print, snap, type Value } from './value.ts';

/** What is known of every field in our words; null: not known. */
export type Known = Readonly<Record<string, Value | null>>;

/** The values of a device's state without their history. */
export function knownOf(state: DeviceState): Known {
  return Object.fromEntries(Object.entries(state.values).map(([field, known]) => [field, known.value]));
}

/** A wish that can be carried out: the value as it will be sent, per field, in the device's order. */
export type Planned = { readonly field: string; readonly requested: Value; readonly sent: Value };

export type Plan =
  | { readonly ok: true; readonly fields: readonly Planned[] }
  /** `fields` lists what was asked for, as far as it could be understood. */
  | { readonly ok: false; readonly refusal: Refusal; readonly fields: readonly Planned[] };

/**
 * Checks a wish against the device before anything is sent: fields, options, range for the mode that will be in force,
 * applicability; snaps numbers to their step.
 */
export function plan(spec: DeviceSpec, known: Known, set: Readonly<Record<string, unknown>>): Plan {
  const fields: Planned[] = [];
  let refusal: Refusal | null = null;
  for (const [name, wish] of inOrder(spec, set)) {
    const field = spec.fields[name];
    if (!field) {
      const writable = Object.values(spec.fields).filter((each) => each.writable);
      refusal ??= refuse(name, 'unknown_field', `${spec.name} has no ${name}; it has ${listNames(writable)}`);
      continue;
    }
    const value = parseWish(field, wish);
    if (value !== undefined) fields.push({ field: name, requested: value, sent: onGrid(field, value) });
    else
      refusal ??= refuse(
        name,
        badType(field),
        `${name} of ${spec.name} cannot be ${show(wish)}; ${allowed(field, {})}`,
      );
  }
  const target = { ...known, ...Object.fromEntries(fields.map((each) => [each.field, each.sent])) };
  for (const planned of fields) {
    const field = spec.fields[planned.field];
    if (field) refusal ??= objection(spec, field, planned, target);
  }
  return refusal ? { ok: false, refusal, fields } : { ok: true, fields };
}

function inOrder(spec: DeviceSpec, set: Readonly<Record<string, unknown>>): [string, unknown][] {
  const rank = (name: string) => {
    const index = spec.order.indexOf(name);
    return index < 0 ? spec.order.length : index;
  };
  return Object.entries(set)
    .filter(([, wish]) => wish !== undefined)
    .sort(([a], [b]) => rank(a) - rank(b));
}

function onGrid(field: FieldSpec, value: Value): Value {
  return typeof value === 'number' ? snap(field, value) : value;
}

/** What stands against one field of a plan, given the state that will be in force. */
function objection(spec: DeviceSpec, field: FieldSpec, planned: Planned, target: Known): Refusal | null {
  const { name } = field;
  if (!field.writable) return refuse(name, 'read_only', `${name} of ${spec.name} can only be read`);
  const words = knownWords(field);
  if (field.compare.type === 'option' && words && !words.some((word) => equal(field.compare, word, planned.sent))) {
    return refuse(
      name,
      'bad_option',
      `${spec.name} has no ${name} ${show(planned.requested)}; ${allowed(field, target)}`,
    );
  }
  // Both the wish and what it snaps to are held against the limits: 30.4 must not slip in as 30.
  const { low, high } = limits(field, target);
  const outside = [planned.requested, planned.sent].some(
    (value) =>
      typeof value === 'number' && ((low !== undefined && value < low) || (high !== undefined && value > high)),
  );
  if (outside) {
    return refuse(
      name,
      'out_of_range',
      `${name} ${print(field, planned.requested)} is out of range for ${spec.name}; ${allowed(field, target)}`,
    );
  }
  if (field.applies?.(target) === false) {
    const where = field.appliesText ? `; it applies when ${field.appliesText}` : '';
    return refuse(name, 'not_applicable_in_mode', `${name} of ${spec.name} has no meaning in its present mode${where}`);
  }
  return null;
}

/** The limits in force for a field, given what is known or wanted of the others. */
export function limits(field: FieldSpec, target: Known): { low: number | undefined; high: number | undefined } {
  return {
    low: limit(field.min, field.minBy, target, Math.min),
    high: limit(field.max, field.maxBy, target, Math.max),
  };
}

/** Where nobody knows the mode that a limit depends on, the widest holds: the look before the send, or the device, knows. */
function limit(
  usual: number | undefined,
  by: LimitBy | undefined,
  target: Known,
  widest: (...limits: number[]) => number,
): number | undefined {
  let wide = usual;
  for (const [other, table] of Object.entries(by ?? {})) {
    const value = target[other];
    if (value === null || value === undefined) {
      wide = wide === undefined ? undefined : widest(wide, ...Object.values(table));
      continue;
    }
    const found = Object.entries(table).find(([word]) => equal({ type: 'option' }, word, value));
    if (found) return found[1];
  }
  return wide;
}

/** What a field takes, in words: `allowed: 16 to 30 °C in steps of 1`. */
export function allowed(field: FieldSpec, target: Known): string {
  const words = knownWords(field);
  if (words && field.compare.type === 'option') return `allowed: ${words.join(', ')}`;
  if (field.compare.type !== 'number') return 'allowed: a word';
  const { low, high } = limits(field, target);
  const unit = unitText(field.unit ?? null);
  const range =
    low !== undefined && high !== undefined
      ? `${low} to ${high}${unit}`
      : low !== undefined
        ? `${low}${unit} or more`
        : high !== undefined
          ? `up to ${high}${unit}`
          : `a number${unit}`;
  return `allowed: ${range}${field.step !== undefined ? ` in steps of ${field.step}` : ''}`;
}

/** A unit as it is put behind a number: ` °C`, ` %`, or nothing. */
export function unitText(unit: string | null): string {
  if (!unit) return '';
  return unit === 'C' || unit === 'F' ? ` °${unit}` : ` ${unit}`;
}

/** The question a person has to answer before this plan is sent, or null where nobody need be asked. */
export function question(spec: DeviceSpec, known: Known, fields: readonly Planned[]): string | null {
  const delicate = fields.filter((planned) => needsApproval(spec.fields[planned.field], planned.sent));
  if (delicate.length === 0) return null;
  const changes = delicate.map(({ field, sent }) => {
    const unit = unitText(spec.fields[field]?.unit ?? null);
    const before = known[field];
    return `${field} ${before === null || before === undefined ? '' : `from ${before}${unit} `}to ${sent}${unit}`;
  });
  return `Set ${spec.name}: ${changes.join(', ')}?`;
}

function needsApproval(field: FieldSpec | undefined, value: Value): boolean {
  const rule = field?.approval;
  if (!field || !rule) return false;
  switch (rule.type) {
    case 'never':
      return false;
    case 'always':
      return true;
    case 'outside':
      return Number(value) < rule.low || Number(value) > rule.high;
    case 'values':
      return rule.values.some((each) => equal(field.compare, each, value));
  }
}

function refuse(field: string, reason: Refusal['reason'], message: string): Refusal {
  return { field, reason, message };
}

function badType(field: FieldSpec): Refusal['reason'] {
  return field.compare.type === 'number' ? 'out_of_range' : 'bad_option';
}

function show(wish: unknown): string {
  const text = JSON.stringify(wish) ?? String(wish);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function listNames(fields: readonly FieldSpec[]): string {
  return fields.map((field) => field.name).join(', ') || 'nothing that can be set';
}

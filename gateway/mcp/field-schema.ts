import type { JSONObject } from '@modelcontextprotocol/server';
import type { DeviceSpec } from '../domain/device.ts';
import type { FieldSpec } from '../domain/field.ts';
import { unitText } from '../domain/plan.ts';
import { knownWords } from '../domain/value.ts';

/** JSON Schema of every field that at least one of these devices lets be written, by name. */
export function writableFields(specs: readonly DeviceSpec[]): JSONObject {
  const byName = new Map<string, FieldSpec[]>();
  for (const spec of specs) {
    for (const field of Object.values(spec.fields)) {
      if (field.writable) byName.set(field.name, [...(byName.get(field.name) ?? []), field]);
    }
  }
  return Object.fromEntries([...byName].map(([name, fields]) => [name, fieldSchema(fields)]));
}

/**
 * What one field takes on any of the devices that have it: the union of their words, the widest of their ranges. It
 * guides a model; what a given device takes in its present mode is the plan's to decide.
 */
export function fieldSchema(fields: readonly FieldSpec[]): JSONObject {
  const kinds = new Set(fields.map((field) => field.compare.type));
  if (kinds.size > 1) return { type: ['number', 'string'] };
  return kinds.has('number') ? numberSchema(fields) : wordSchema(fields);
}

function numberSchema(fields: readonly FieldSpec[]): JSONObject {
  const minimum = widest(Math.min, fields, (field) => [field.min, ...limitsOf(field.minBy)]);
  const maximum = widest(Math.max, fields, (field) => [field.max, ...limitsOf(field.maxBy)]);
  const units = [...new Set(fields.map((field) => unitText(field.unit ?? null).trim()).filter(Boolean))];
  return {
    type: 'number',
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(units.length > 0 && { description: units.join(' or ') }),
  };
}

/** The widest limit, or none as soon as one field has none. */
function widest(
  pick: (...limits: number[]) => number,
  fields: readonly FieldSpec[],
  of: (field: FieldSpec) => readonly (number | undefined)[],
): number | undefined {
  const limits = fields.map((field) => of(field).filter((limit) => limit !== undefined));
  return limits.every((some) => some.length > 0) ? pick(...limits.flat()) : undefined;
}

function limitsOf(by: FieldSpec['minBy']): number[] {
  return Object.values(by ?? {}).flatMap((table) => Object.values(table));
}

function wordSchema(fields: readonly FieldSpec[]): JSONObject {
  const words = fields.map(knownWords);
  if (words.some((some) => some === undefined)) return { type: 'string' };
  return { type: 'string', enum: [...new Set(words.flatMap((some) => some ?? []))] };
}

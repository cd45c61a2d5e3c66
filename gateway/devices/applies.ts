import type { FieldConfig } from '../config/schema-field.ts';
import type { FieldSpec } from '../domain/field.ts';
import type { Value } from '../domain/value.ts';
import { truth } from './condition.ts';
import { compileTemplate } from './template.ts';

type Applies = Required<Pick<FieldSpec, 'applies' | 'appliesText'>>;
type State = Readonly<Record<string, Value | null>>;

/** `applies_when` as a function of what is known of the other fields, and in words. */
export function compileApplies(
  when: FieldConfig['applies_when'],
  fieldNames: readonly string[],
  where: string,
): Applies | undefined {
  if (when === undefined) return undefined;
  if (typeof when === 'string') return fromTemplate(when, fieldNames, where);
  const conditions = Object.entries(when);
  return {
    applies: (state) => all(conditions.map(([field, words]) => isOneOf(state[field], words))),
    appliesText: conditions.map(([field, words]) => `${field} is ${words.join(' or ')}`).join(' and '),
  };
}

/** The fields that an `applies_when` looks at. */
export function fieldsNamed(when: FieldConfig['applies_when'], fieldNames: readonly string[]): string[] {
  if (typeof when !== 'string') return Object.keys(when ?? {});
  return fieldNames.filter((name) => new RegExp(`\\b${name}\\b`).test(when));
}

function fromTemplate(source: string, fieldNames: readonly string[], where: string): Applies {
  const template = compileTemplate(source, where);
  const used = fieldsNamed(source, fieldNames);
  return {
    applies(state: State) {
      // A template cannot say "not known": `hvac_mode in ['cool']` is false where nobody knows the mode.
      if (used.some((name) => state[name] === undefined || state[name] === null)) return null;
      return truth(template.evaluate(state)) ?? null;
    },
    appliesText: source,
  };
}

function isOneOf(value: Value | null | undefined, words: readonly string[]): boolean | null {
  if (value === null || value === undefined) return null;
  return words.some((word) => word.toLowerCase() === String(value).toLowerCase());
}

/** False as soon as one is false; not known where one of the others is not known. */
function all(parts: readonly (boolean | null)[]): boolean | null {
  if (parts.includes(false)) return false;
  return parts.includes(null) ? null : true;
}

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriteMethods } from '../../gateway/devices/template-methods.ts';
import { needsOf } from '../../gateway/devices/template-needs.ts';
import { templateRuntime } from '../../gateway/devices/template-runtime.ts';

interface CompatCase {
  readonly template: string;
  readonly payload?: string;
  readonly variables?: Record<string, unknown>;
}

const CASES = JSON.parse(
  readFileSync(new URL('../fixtures/jinja_compat.json', import.meta.url), 'utf8'),
) as readonly CompatCase[];

/** Templates that look at a payload in every way that could be taken for a member, or for none. */
const TRICKY = [
  '{{ value_json.a }} {{ value }}',
  '{{ value_json }}',
  '{{ value_json|length }}',
  '{{ value_json["a"] }}{{ value_json.b }}',
  "{{ value_json['a'] }}",
  '{{ value_json.items() | list }}',
  '{{ value_json.items () | list }}',
  '{{ value_json.keys() | list }} {{ value_json.a }}',
  '{{ value_json . a }}',
  '{{ value_json.größe }}',
  '{{ value_json.a.b }}',
  '{{ value_json.__proto__ }}',
  '{{ value_json.get("a", 5) }}',
  '{{ value_json.a.get("b", 5) }}',
  '{{ "a" in value_json }}',
  '{{ value_json is defined }} {{ value_json is not defined }} {{ value_json is mapping }}',
  '{{ value_json.a if value_json is defined and value_json.a is defined else value_json.b }}',
  '{% if value_json %}{{ value_json.a }}{% endif %}',
  '{% set v = value_json %}{{ v.a }}',
  '{% set value_json = {"a": 1} %}{{ value_json.b is defined }}{{ value_json.a }}',
  '{% for key in value_json %}{{ key }}{% endfor %}',
  '{% for key in value_json.a %}{{ key }}{% endfor %}',
  '{% macro m(value_json) %}{{ value_json.a }}{% endmacro %}{{ m({"a": 3}) }}',
  '{{ "value_json.a" }}{{ value_json.b }}',
  '{# value_json #}{{ value_json.a }}',
  '{{ want.value_json.a }}{{ want.b }}',
  '{{ {"a": value_json}.a.b }}',
  '{{ [value_json, 1] | first }}',
  '{{ value }}{{ value == value_json.a }}',
];

function inBoth(template: string, variables: Readonly<Record<string, unknown>>): void {
  const code = rewriteMethods(template);
  const all = templateRuntime.render(code, variables, true);
  expect(templateRuntime.render(code, needsOf(code)(variables), true), template).toEqual(all);
}

describe('what a template needs', () => {
  it('is enough for every template that people wrote', () => {
    for (const { template, payload, variables } of CASES) {
      inBoth(template, {
        ...variables,
        ...(payload !== undefined && { value: payload, value_json: decoded(payload) }),
      });
    }
  });

  it('is enough for any payload', () => {
    const word = fc.constantFrom('a', 'b', 'größe', 'items', 'keys', '__proto__', 'value_json', '0');
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const object = fc.dictionary(word, fc.oneof(leaf, fc.dictionary(word, leaf), fc.array(leaf)));
    const payload = fc.oneof(object, leaf, fc.array(leaf));
    fc.assert(
      fc.property(fc.constantFrom(...TRICKY), payload, object, (template, value_json, want) => {
        inBoth(template, { value: JSON.stringify(value_json), value_json, want });
      }),
      { numRuns: 300 },
    );
  });

  it('is only the members that are named, and no variable that is not', () => {
    const needs = needsOf("{{ value_json.a if value_json is defined else 'none' }}");
    expect(needs({ value: '…', value_json: { a: 1, b: 2 }, want: {} })).toEqual({ value_json: { a: 1 } });
    expect(needsOf('{{ value_json | length }}')({ value_json: { a: 1, b: 2 } })).toEqual({
      value_json: { a: 1, b: 2 },
    });
  });
});

function decoded(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

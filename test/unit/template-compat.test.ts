import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compileTemplate } from '../../gateway/devices/template.ts';

interface CompatCase {
  readonly id: string;
  readonly template: string;
  readonly payload?: string;
  readonly variables?: Record<string, unknown>;
  /** What Python's Jinja2 with Home Assistant's filters gives; `!ERR …` where it raises an error. */
  readonly expected: string;
}

const CASES = JSON.parse(
  readFileSync(new URL('../fixtures/jinja_compat.json', import.meta.url), 'utf8'),
) as readonly CompatCase[];

/** Cases that give another value, each with its reason. Everything else must agree. */
const KNOWN_GAPS: Readonly<Record<string, string>> = {
  pyformat: "minijinja has no format method; `'%0.1f' | format(x)` says the same",
  now_ts: 'templates have no clock',
  regex_replace_ha: 'a regular expression can run without end',
};

function variablesOf(each: CompatCase): Record<string, unknown> {
  if (each.payload === undefined) return { ...each.variables };
  try {
    return { ...each.variables, value: each.payload, value_json: JSON.parse(each.payload) };
  } catch {
    return { ...each.variables, value: each.payload };
  }
}

/** Text as the value that a device or a field would take it for: Python and Rust print the same value differently. */
function meaning(text: string): unknown {
  if (text.startsWith('!ERR')) return 'no opinion';
  const json = text
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/\bNone\b/g, 'null');
  for (const candidate of [json, json.replaceAll("'", '"')]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Not JSON in this spelling.
    }
  }
  if (text === 'none') return null;
  return text;
}

function outcome(each: CompatCase): unknown {
  const rendered = compileTemplate(each.template, each.id).render(variablesOf(each));
  return rendered.ok ? meaning(rendered.text) : 'no opinion';
}

describe('Jinja2 as Home Assistant has it', () => {
  it.each(CASES.filter((each) => !(each.id in KNOWN_GAPS)))('$id', (each) => {
    expect(outcome(each)).toEqual(meaning(each.expected));
  });

  it('differs in the listed cases only', () => {
    const different = CASES.filter((each) => !isDeepStrictEqual(outcome(each), meaning(each.expected)));
    expect(different.map((each) => each.id).sort()).toEqual(Object.keys(KNOWN_GAPS).sort());
    expect(CASES).toHaveLength(85);
  });
});

import { StartError } from '../domain/errors.ts';
import { isFrugal, isSmall } from './frugal.ts';
import { endOfString, isQuote, rewriteMethods } from './template-methods.ts';
import { needsOf } from './template-needs.ts';
import { type Rendered, templateRuntime } from './template-runtime.ts';

/** Longest template, in characters. */
const MAX_SOURCE = 16 * 1024;

/** A number that is printed with decimals even where it is whole: 22 on a grid of 0.5 is `22.0` in text. */
export class Decimal {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** What a template may speak about. `Decimal` is understood at the top and one level below. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

export type TemplateText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string };

/** A Jinja2 template that is known to be well formed. It never throws, and it cannot run code or run on without end. */
export interface Template {
  readonly source: string;
  /** As text, without white space at both ends; what is undefined prints as nothing. */
  render(variables: TemplateVariables): TemplateText;
  /**
   * Of a source that is exactly one `{{ expression }}` the value with its type: undefined where it is undefined (a
   * missing key), null where it is none. Of any other source the text.
   */
  evaluate(variables: TemplateVariables): Rendered<unknown>;
}

/** What is wrong with a template's length or syntax; undefined where it can be used. */
export function templateMistake(source: string): string | undefined {
  if (source.length > MAX_SOURCE) return `it has ${source.length} characters; at most ${MAX_SOURCE} are allowed`;
  const code = rewriteMethods(source);
  return templateRuntime.syntaxError(code, !isFrugal(code));
}

/**
 * Checks a template.
 * @param where names it for people: `devices.ac.requests.apply.json.power`
 * @throws StartError (exit code 2) where it is too long or its syntax is wrong
 */
export function compileTemplate(source: string, where: string): Template {
  const mistake = templateMistake(source);
  if (mistake !== undefined) throw new StartError(`${where}: the template cannot be read: ${mistake}`, 2);
  const code = rewriteMethods(source);
  const path = pathOf(source);
  const expression = wholeExpression(code);
  const isQuick = isFrugal(code);
  const needed = needsOf(code);
  const limiter = new Limiter();
  const guarded = (variables: TemplateVariables) => !isQuick || !isSmall(variables);
  const render = (variables: TemplateVariables): TemplateText => {
    const seen = needed(variables);
    const rendered = limiter.run(() => templateRuntime.render(prelude(seen) + code, bare(seen), guarded(variables)));
    return rendered.ok ? { ok: true, text: rendered.value.trim() } : rendered;
  };
  return {
    source,
    render,
    evaluate(variables) {
      if (path !== undefined) return lookUp(variables, path);
      if (expression !== undefined) {
        const seen = needed(variables);
        return limiter.run(() => templateRuntime.evaluate(prelude(seen), expression, bare(seen), guarded(variables)));
      }
      const rendered = render(variables);
      return rendered.ok ? { ok: true, value: rendered.text } : rendered;
    },
  };
}

/** First rest of a template that has cost a limit, and the longest, in ms. Each is twice as long as the one before. */
const REST_MS = { first: 20_000, longest: 24 * 3_600_000 } as const;

/** Lets a template that exhausts its limits rest, so that it cannot do so with every message. */
class Limiter {
  #restsUntil = 0;
  #restMs: number = REST_MS.first;

  run<T>(work: () => Rendered<T>): Rendered<T> {
    const now = performance.now();
    if (now < this.#restsUntil) return { ok: false, detail: 'the template has exhausted its limits, and rests' };
    const rendered = work();
    if (rendered.ok || !rendered.exhausted) return rendered;
    this.#restsUntil = performance.now() + this.#restMs;
    this.#restMs = Math.min(2 * this.#restMs, REST_MS.longest);
    return rendered;
  }
}

/**
 * The keys of a source that only looks something up, `{{ value_json.a["b c"] }}`: most templates are such, and a home's
 * messages are read thousands of times a minute.
 */
function pathOf(source: string): readonly string[] | undefined {
  const [, name, rest = ''] =
    /^\s*\{\{\s*(value|value_json)((?:\.[a-z_]\w*|\[(?:"[^"\\]*"|'[^'\\]*')\])*)\s*\}\}\s*$/i.exec(source) ?? [];
  if (name === undefined) return undefined;
  const keys = [...rest.matchAll(/\.(\w+)|\["([^"]*)"\]|\['([^']*)'\]/g)];
  return [name, ...keys.map(([, dotted, double, single]) => dotted ?? double ?? single ?? '')];
}

function lookUp(variables: TemplateVariables, path: readonly string[]): Rendered<unknown> {
  let value: unknown = variables;
  for (const key of path) {
    if (value === undefined || value === null) return { ok: false, detail: `undefined value: ${key} of nothing` };
    value =
      typeof value === 'object' && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }
  return { ok: true, value: value instanceof Decimal ? value.value : value };
}

/** The expression of a source that is exactly one `{{ expression }}`. */
function wholeExpression(source: string): string | undefined {
  const inner = /^\s*\{\{[-+]?(.*?)[-+]?\}\}\s*$/s.exec(source)?.[1];
  if (inner === undefined) return undefined;
  let depth = 0;
  for (let index = 0; index < inner.length; index++) {
    const char = inner.charAt(index);
    if (isQuote(char)) index = endOfString(inner, index);
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    // `{{ a }} {{ b }}`: the first expression ends here.
    if (depth < 0) return undefined;
  }
  return depth === 0 ? inner : undefined;
}

/** JavaScript has one kind of number; a whole one becomes a fraction in the template's own language only. */
function prelude(variables: TemplateVariables): string {
  let source = '';
  for (const [name, value] of Object.entries(variables)) {
    if (value instanceof Decimal) source += `{% set ${name} = ${name} * 1.0 %}`;
    else if (isRecord(value) && Object.values(value).some((each) => each instanceof Decimal)) {
      const members = Object.entries(value).map(([key, each]) => {
        const quoted = JSON.stringify(key);
        return `${quoted}: ${name}[${quoted}]${each instanceof Decimal ? ' * 1.0' : ''}`;
      });
      source += `{% set ${name} = {${members.join(', ')}} %}`;
    }
  }
  return source;
}

function bare(variables: TemplateVariables): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(variables)) {
    // A name that is present counts as defined in a template, even with an undefined value.
    if (value === undefined) continue;
    if (value instanceof Decimal) plain[name] = value.value;
    else if (isRecord(value)) {
      plain[name] = Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, each instanceof Decimal ? each.value : each]),
      );
    } else plain[name] = value;
  }
  return plain;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

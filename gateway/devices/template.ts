import { StartError } from '../domain/errors.ts';
import { endOfString, isQuote, rewriteMethods } from './template-methods.ts';
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
  return templateRuntime.syntaxError(rewriteMethods(source));
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
  const expression = wholeExpression(code);
  const render = (variables: TemplateVariables): TemplateText => {
    const rendered = templateRuntime.render(prelude(variables) + code, bare(variables));
    return rendered.ok ? { ok: true, text: rendered.value.trim() } : rendered;
  };
  return {
    source,
    render,
    evaluate(variables) {
      if (expression !== undefined) return templateRuntime.evaluate(prelude(variables), expression, bare(variables));
      const rendered = render(variables);
      return rendered.ok ? { ok: true, value: rendered.text } : rendered;
    },
  };
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

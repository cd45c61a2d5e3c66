import { compileTemplate, type Template, type TemplateVariables } from './template.ts';

/** A piece of a request: its value, nothing at all (left out), or why it cannot be made. */
export type Part<T> =
  | { readonly ok: true; readonly value: T | undefined }
  | { readonly ok: false; readonly detail: string };

/** A string of the configuration that may be a template. */
export interface TextPart {
  /** With its type, where it is a single expression; undefined: to be left out. */
  evaluate(variables: TemplateVariables): Part<unknown>;
  /** As text; undefined: to be left out. */
  render(variables: TemplateVariables): Part<string>;
}

/** @throws StartError where it is a template that cannot be read */
export function compileText(source: string, where: string): TextPart {
  if (!/\{[{%#]/.test(source)) {
    const constant = { ok: true, value: source } as const;
    return { evaluate: () => constant, render: () => constant };
  }
  const template = compileTemplate(source, where);
  const wanted = [...source.matchAll(/\bwant\s*(?:\.\s*|\[\s*['"])(\w+)/g)].map(([, field]) => field ?? '');
  const evaluate = (variables: TemplateVariables): Part<unknown> => {
    const result = template.evaluate(variables);
    if (result.ok && result.value !== undefined && result.value !== null) return result;
    // One request serves several fields: what speaks only of fields that are not commanded is left out.
    if (isUnwanted(wanted, variables)) return { ok: true, value: undefined };
    return result.ok ? result : failure(where, template, result.detail);
  };
  return {
    evaluate,
    render(variables) {
      const part = evaluate(variables);
      if (!part.ok) return part;
      if (part.value === undefined || part.value === null)
        return { ok: true, value: part.value === null ? '' : undefined };
      const result = template.render(variables);
      return result.ok ? { ok: true, value: result.text } : failure(where, template, result.detail);
    },
  };
}

function isUnwanted(wanted: readonly string[], variables: TemplateVariables): boolean {
  const want = variables['want'];
  if (wanted.length === 0 || typeof want !== 'object' || want === null) return false;
  return wanted.every((field) => !Object.hasOwn(want, field));
}

function failure(where: string, template: Template, detail: string): { ok: false; detail: string } {
  return { ok: false, detail: `${where}: ${template.source.slice(0, 100)} cannot be rendered: ${detail}` };
}

import type { TemplateVariables } from './template.ts';
import { compileText, type Part } from './text-part.ts';

type Render<T> = (variables: TemplateVariables) => Part<T>;

/** Names and values of a query, a form or headers; those that are undefined are left out. */
export function compileParameters(
  parameters: Readonly<Record<string, string | number | boolean>>,
  where: string,
): Render<readonly (readonly [string, string])[]> {
  const parts = Object.entries(parameters).map(
    ([key, value]) => [key, compileText(String(value), `${where}.${key}`)] as const,
  );
  return (variables) => {
    const pairs: (readonly [string, string])[] = [];
    for (const [key, part] of parts) {
      const rendered = part.render(variables);
      if (!rendered.ok) return rendered;
      if (rendered.value !== undefined) pairs.push([key, rendered.value]);
    }
    return { ok: true, value: pairs };
  };
}

/** A JSON body: every string in it may be a template, and a single expression keeps its type. */
export function compileJson(json: unknown, where: string): Render<unknown> {
  if (typeof json === 'string') return compileText(json, where).evaluate;
  if (Array.isArray(json)) return compileArray(json, where);
  if (typeof json === 'object' && json !== null) return compileObject(json, where);
  return () => ({ ok: true, value: json });
}

function compileArray(json: readonly unknown[], where: string): Render<unknown[]> {
  const items = json.map((item, index) => compileJson(item, `${where}.${index}`));
  return (variables) => {
    const values: unknown[] = [];
    for (const item of items) {
      const part = item(variables);
      if (!part.ok) return part;
      if (part.value !== undefined) values.push(part.value);
    }
    return { ok: true, value: values };
  };
}

function compileObject(json: object, where: string): Render<Record<string, unknown>> {
  const members = Object.entries(json).map(([key, value]) => [key, compileJson(value, `${where}.${key}`)] as const);
  return (variables) => {
    const entries: [string, unknown][] = [];
    for (const [key, member] of members) {
      const part = member(variables);
      if (!part.ok) return part;
      if (part.value !== undefined) entries.push([key, part.value]);
    }
    return { ok: true, value: Object.fromEntries(entries) };
  };
}

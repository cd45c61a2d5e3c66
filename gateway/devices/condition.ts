import type { Rendered } from './template-runtime.ts';

const TRUE_WORDS = new Set(['true', 'on', 'yes', '1']);

/** A rendered condition (`reject`, `moving_when`, `applies_when`): undefined where it could not be told. */
export function truth(rendered: Rendered<unknown>): boolean | undefined {
  if (!rendered.ok || rendered.value === undefined || rendered.value === null) return undefined;
  const { value } = rendered;
  if (typeof value === 'string') return TRUE_WORDS.has(value.trim().toLowerCase());
  return Boolean(value);
}

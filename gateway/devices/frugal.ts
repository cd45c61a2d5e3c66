/** Filters whose result is no larger than what they are given. */
const FRUGAL_FILTERS: ReadonlySet<string> = new Set([
  'abs',
  'bool',
  'd',
  'default',
  'float',
  'int',
  'is_defined',
  'length',
  'lower',
  'readback_get',
  'round',
  'string',
  'trim',
  'upper',
]);

const MAX_SOURCE = 1_000;
const MAX_PAYLOAD = 16 * 1024;

/**
 * Whether a template is sure to be quick on any small payload, by its words alone: no loops, no calls, and nothing by
 * which a value could grow step by step. Most are; they are spared the cost of a time limit.
 */
export function isFrugal(code: string): boolean {
  if (code.length > MAX_SOURCE || /[~*+]/.test(code)) return false;
  const statements = [...code.matchAll(/\{%[-+]?\s*(\w*)([^%]*)/g)];
  const sets = statements.filter(([, word]) => word === 'set');
  const isPlain = statements.every(([, word, rest]) =>
    word === 'set' ? rest?.includes('=') : ['if', 'elif', 'else', 'endif'].includes(word ?? ''),
  );
  // A second assignment could multiply what the first has multiplied; so could text inside of text.
  if (!isPlain || sets.length > 1) return false;
  const filters = [...code.matchAll(/\|\s*(\w*)/g)].map(([, name]) => name ?? '');
  if (filters.filter((name) => name === 'string').length > 1) return false;
  const called = [...code.matchAll(/(\w+)\s*\(/g)].map(([, name]) => name ?? '');
  const calls = called.filter((name) => !['in', 'and', 'or', 'not', 'if', 'else', 'elif', 'is'].includes(name));
  return [...filters, ...calls].every((name) => FRUGAL_FILTERS.has(name));
}

/** Whether what a template is given is small: a payload of some length, or values of a command. */
export function isSmall(variables: Readonly<Record<string, unknown>>): boolean {
  const { value, state } = variables;
  return state === undefined && (typeof value !== 'string' || value.length <= MAX_PAYLOAD);
}

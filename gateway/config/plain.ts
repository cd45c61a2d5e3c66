import type { Path } from './source-tree.ts';

/** Data of which nothing has been checked yet. */
export type Plain = Readonly<Record<string, unknown>>;

/** A map as it is; anything else as an empty one. */
export function plain(value: unknown): Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : {};
}

/** A list's items with their indexes; anything else has none. */
export function items(value: unknown): [number, unknown][] {
  return Array.isArray(value) ? [...value.entries()] : [];
}

/** Every text inside a value, with its place. */
export function texts(value: unknown, place: Path): [Path, string][] {
  if (typeof value === 'string') return [[place, value]];
  if (Array.isArray(value)) return value.flatMap((item, index) => texts(item, [...place, index]));
  return Object.entries(plain(value)).flatMap(([key, item]) => texts(item, [...place, key]));
}

import type { DeviceModel } from './model.ts';

/** The most devices of each kind that one simulator has: enough to try a gateway on, and few enough for one process. */
export const MOST_COPIES = 100;

/** What tells the nth of several devices of a kind from the first, which bears the plain name: `_2`, `_3` … */
export function suffix(number: number, separator = '_'): string {
  return number === 1 ? '' : `${separator}${number}`;
}

/** The nth device of a kind, counted from 1. */
export function copyOf(model: DeviceModel, number: number): DeviceModel {
  return { ...model, id: `${model.id}${suffix(number)}`, name: `${model.name}${suffix(number, ' ')}` };
}

/** So many of each, the first ones first. */
export function severalOf<Kind, Copy>(
  kinds: readonly Kind[],
  count: number,
  make: (kind: Kind, number: number) => Copy,
): Copy[] {
  return Array.from({ length: count }, (_, index) => kinds.map((kind) => make(kind, index + 1))).flat();
}

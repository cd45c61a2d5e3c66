/** A list with one more at its end. Beyond `most` the second oldest is forgotten: how it began and how it stands remain. */
export function appended<T>(list: readonly T[], next: T, most: number): readonly T[] {
  const [first, ...rest] = list;
  if (first === undefined || list.length < most) return [...list, next];
  return [first, ...rest.slice(1), next];
}

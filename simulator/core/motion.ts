import type { Scene, Step } from './fault.ts';
import type { FieldModel, FieldValue, State } from './model.ts';

/** The motion ends short of every wanted value. */
export function clamped(steps: readonly Step[], { model, before }: Scene): readonly Step[] {
  const short = (old: FieldValue, wanted: FieldValue, name: string) => shortOf(old, wanted, model.fields[name]);
  return steps.map((step) => ({ ...step, changes: mapChanges(step.changes, before, short) }));
}

/** A value strictly between two numbers, or a third word; the old value where there is none. */
function shortOf(old: FieldValue, wanted: FieldValue, field: FieldModel | undefined): FieldValue {
  if (!field || old === wanted) return wanted;
  if (field.type === 'word') return field.options.find((word) => word !== old && word !== wanted) ?? old;
  const middle = (Number(old) + Number(wanted)) / 2;
  const whole = Math.trunc(middle);
  if (isBetween(whole, Number(old), Number(wanted))) return whole;
  return field.integer ? old : middle;
}

function isBetween(value: number, a: number, b: number): boolean {
  return value > Math.min(a, b) && value < Math.max(a, b);
}

/** Numbers go to their target bit by bit, the first bit at once; words change with the first bit. */
export function ramped(
  steps: readonly Step[],
  { before }: Scene,
  { step, everyMs }: { readonly step: number; readonly everyMs: number },
): readonly Step[] {
  return steps.flatMap(({ afterMs, changes }) => {
    const bits: Step[] = [{ afterMs, changes: mapChanges(changes, before, (old, to) => towards(old, to, step)) }];
    const distances = Object.entries(changes).map(([name, to]) => distance(before[name] ?? to, to));
    const count = Math.ceil(Math.max(0, ...distances) / step);
    for (let bit = 2; bit <= count; bit += 1) {
      const moving = Object.entries(changes).filter(
        ([name, to]) => distance(before[name] ?? to, to) > (bit - 1) * step,
      );
      const moved = moving.map(([name, to]) => [name, towards(before[name] ?? to, to, bit * step)]);
      bits.push({ afterMs: afterMs + (bit - 1) * everyMs, changes: Object.fromEntries(moved) });
    }
    return bits;
  });
}

function distance(from: FieldValue, to: FieldValue): number {
  return typeof from === 'number' && typeof to === 'number' ? Math.abs(to - from) : 0;
}

function towards(from: FieldValue, to: FieldValue, by: number): FieldValue {
  if (typeof from !== 'number' || typeof to !== 'number' || Math.abs(to - from) <= by) return to;
  // Steps of 0.1 would otherwise show the noise of binary fractions.
  return Number((from + Math.sign(to - from) * by).toFixed(6));
}

/** After the motion everything it touched goes back to what it was. */
export function reverted(steps: readonly Step[], { before }: Scene, afterMs: number): readonly Step[] {
  const last = steps.at(-1);
  if (!last) return steps;
  const touched = steps.flatMap((step) => Object.keys(step.changes));
  const back = Object.entries(before).filter(([name]) => touched.includes(name));
  return [...steps, { afterMs: last.afterMs + afterMs, changes: Object.fromEntries(back) }];
}

function mapChanges(
  changes: State,
  before: State,
  map: (old: FieldValue, wanted: FieldValue, name: string) => FieldValue,
): State {
  return Object.fromEntries(
    Object.entries(changes).map(([name, wanted]) => [name, map(before[name] ?? wanted, wanted, name)]),
  );
}

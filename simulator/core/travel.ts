import type { Step } from './fault.ts';
import type { DeviceModel, FieldValue, State, Travel } from './model.ts';

/**
 * The journey to where a number is wanted, bit by bit; the sign says where it goes, and in the end that it stands.
 * @returns null where nothing of what is wanted travels
 */
export function travelled({ travel, fields }: DeviceModel, state: State, wanted: State): readonly Step[] | null {
  const field = travel && fields[travel.field];
  if (!travel || field?.type !== 'number') return null;
  if (!(travel.field in wanted) && !(travel.sign in wanted)) return null;

  const from = Number(state[travel.field]);
  const to = destination(travel, field, wanted, from);
  const direction = Math.sign(to - from);
  const perBit = ((field.max - field.min) * travel.everyMs) / travel.fullMs;
  const bits = Math.max(0, Math.ceil(Math.abs(to - from) / perBit) - 1);
  const underWay = { [travel.sign]: direction > 0 ? travel.words.up : travel.words.down };
  const arrive = { [travel.field]: to, [travel.sign]: travel.words.rest };
  if (direction === 0) return [{ afterMs: 0, changes: { ...wanted, ...arrive } }];
  return [
    { afterMs: 0, changes: { ...wanted, [travel.field]: from, ...underWay } },
    ...Array.from({ length: bits }, (_, bit) => ({
      afterMs: (bit + 1) * travel.everyMs,
      changes: { [travel.field]: Math.round(from + direction * perBit * (bit + 1)), ...underWay },
    })),
    { afterMs: Math.ceil((Math.abs(to - from) / perBit) * travel.everyMs), changes: arrive },
  ];
}

/** Where it is wanted; a commanded direction is a journey to that end, and a commanded rest stays. */
function destination(
  { field: name, sign, words }: Travel,
  limits: { readonly min: number; readonly max: number },
  wanted: State,
  from: number,
): number {
  const target: FieldValue | undefined = wanted[name];
  if (typeof target === 'number') return target;
  if (wanted[sign] === words.up) return limits.max;
  return wanted[sign] === words.down ? limits.min : from;
}

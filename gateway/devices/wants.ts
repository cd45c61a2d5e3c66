import type { DeviceSpec } from '../domain/device.ts';
import type { FieldSpec } from '../domain/field.ts';
import { decimalsOf, encode, type Value } from '../domain/value.ts';
import { Decimal } from './template.ts';

/** A value of ours as templates see it: the device's word; a number prints with the decimals of the device's grid. */
export function deviceWord(field: FieldSpec, value: Value): string | number | Decimal {
  const word = encode(field, value);
  if (typeof word !== 'number' || field.step === undefined) return word;
  const deviceStep = Number((field.step / Math.abs(field.scale)).toPrecision(12));
  return decimalsOf(deviceStep) > 0 ? new Decimal(word) : word;
}

/** `want` of a command: every commanded field's device word. */
export function deviceWords(
  spec: DeviceSpec,
  wants: Readonly<Record<string, Value>>,
): Record<string, string | number | Decimal> {
  const words: Record<string, string | number | Decimal> = {};
  for (const [name, value] of Object.entries(wants)) {
    const field = spec.fields[name];
    if (field) words[name] = deviceWord(field, value);
  }
  return words;
}

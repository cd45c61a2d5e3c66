import type { DeviceView } from '../actuation/commands.ts';
import type { FieldSpec } from '../domain/field.ts';
import { type Known, knownOf, limits } from '../domain/plan.ts';
import type { KnownValue } from '../domain/reading.ts';
import type { Instant } from '../domain/time.ts';
import { knownWords } from '../domain/value.ts';
import { when } from './when.ts';
import type { DeviceWire, FieldWire } from './wire.ts';

/** What is known of a device now, as the page shows it. */
export function deviceWire({ spec, state, reachable }: DeviceView, now: Instant): DeviceWire {
  const known = knownOf(state);
  return {
    id: spec.id,
    name: spec.name,
    area: spec.area ?? null,
    kind: spec.kind,
    reachable,
    heard_at: state.heardAt && when(state.heardAt, now),
    caveats: spec.caveats,
    fields: Object.values(spec.fields).map((field) => fieldWire(field, state.values[field.name], known, now)),
  };
}

function fieldWire(field: FieldSpec, last: KnownValue | undefined, known: Known, now: Instant): FieldWire {
  return {
    name: field.name,
    value: last?.value ?? null,
    // A value from before the start, or a retained one, has no age that anybody knows.
    at: last?.live ? when(last.at, now) : null,
    writable: field.writable,
    ...choice(field, known),
    ...(field.unit !== undefined && { unit: field.unit }),
    applies: field.applies ? field.applies(known) : true,
    ...(field.appliesText !== undefined && { applies_text: field.appliesText }),
    asks: field.approval.type !== 'never',
  };
}

/** What can be chosen: the words, or the numbers in the state that the device is in. */
function choice(field: FieldSpec, known: Known): Pick<FieldWire, 'options' | 'min' | 'max' | 'step'> {
  if (field.compare.type === 'option') {
    const options = knownWords(field);
    return options ? { options } : {};
  }
  const { low, high } = limits(field, known);
  return {
    ...(low !== undefined && { min: low }),
    ...(high !== undefined && { max: high }),
    ...(field.step !== undefined && { step: field.step }),
  };
}

import type { DeviceSpec } from '../../gateway/domain/device.ts';
import type { FieldSpec } from '../../gateway/domain/field.ts';

const polled = { readable: true, push: false, askable: true, ackable: false };

/** A field that takes these words. */
export function words(name: string, options: readonly string[]): FieldSpec {
  return {
    name,
    compare: { type: 'option' },
    writable: true,
    readback: polled,
    options,
    map: [],
    alias: {},
    scale: 1,
    nulls: [],
    approval: { type: 'never' },
  };
}

/** A field that takes numbers from `min` to `max`. */
export function number(name: string, min: number, max: number, unit: string): FieldSpec {
  const { options, ...rest } = words(name, []);
  return { ...rest, compare: { type: 'number', tolerance: 0.5 }, min, max, step: 1, unit };
}

const DIRECTIONS = ['auto', 'swing', 'near', 'middle', 'far'];

function device(parts: Pick<DeviceSpec, 'id' | 'name' | 'area' | 'kind'>, fields: readonly FieldSpec[]): DeviceSpec {
  return {
    ...parts,
    fields: Object.fromEntries(fields.map((field) => [field.name, field])),
    order: fields.map((field) => field.name),
    guard: [],
    sideEffects: {},
    verify: { echoMs: 0, settleMs: 0, deadlineMs: 20_000, watchMs: 0, pollMs: [500], level: 3, resend: 0 },
    minGapMs: 0,
    caveats: [],
  };
}

/** The air conditioner of the home that the gateway starts with. */
export const DEMO_AC: DeviceSpec = device(
  { id: 'living_room_ac', name: 'Living-room AC', area: 'Living room', kind: 'climate' },
  [
    words('power', ['on', 'off']),
    words('hvac_mode', ['cool', 'heat', 'dry', 'fan_only', 'auto']),
    number('target_temperature', 16, 30, 'C'),
    words('fan_mode', ['auto', 'low', 'medium', 'high']),
    words('swing_mode', DIRECTIONS),
    words('swing_horizontal_mode', DIRECTIONS),
    { ...number('current_temperature', -40, 60, 'C'), writable: false },
  ],
);

/** Its fan. */
export const DEMO_FAN: DeviceSpec = device({ id: 'bedroom_fan', name: 'Bedroom fan', area: 'Bedroom', kind: 'fan' }, [
  words('power', ['on', 'off']),
  number('percentage', 0, 100, '%'),
  words('swing_mode', DIRECTIONS),
  words('swing_horizontal_mode', DIRECTIONS),
]);

/** A device whose target temperature needs a person's yes outside 20 to 28. */
export function withApproval(spec: DeviceSpec): DeviceSpec {
  const { target_temperature: field, ...others } = spec.fields;
  if (!field) throw new Error(`${spec.id} has no target_temperature`);
  const asking: FieldSpec = { ...field, approval: { type: 'outside', low: 20, high: 28 } };
  return { ...spec, fields: { ...others, target_temperature: asking } };
}

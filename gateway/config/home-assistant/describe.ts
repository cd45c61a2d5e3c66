import type { DeviceKind } from '../../domain/device.ts';
import type { CommonEntity, WrittenField } from './entity-parts.ts';
import { ENTITY_KINDS } from './kinds.ts';

/** An entry of `devices:` as it would be written by hand. */
export interface DeviceBody {
  readonly kind: DeviceKind;
  readonly name?: string;
  readonly fields: Readonly<Record<string, WrittenField>>;
  readonly order: readonly string[];
  readonly availability?: unknown;
  readonly verify?: Readonly<Record<string, unknown>>;
  readonly caveats: readonly string[];
}

/**
 * Makes a device of an entity that its kind's schema has checked.
 * @param parsed the schema's output
 */
export function describeEntity(kind: DeviceKind, parsed: unknown): DeviceBody {
  const { fields, caveats = [], common } = ENTITY_KINDS[kind].describe(parsed);
  const availability = availabilityOf(common);
  const blind = Object.entries(fields).filter(([, field]) => field['write'] !== undefined && !field['read']);
  return {
    kind,
    ...(common.name !== undefined && common.name !== '' && { name: common.name }),
    fields,
    order: Object.keys(fields),
    ...(availability !== undefined && { availability }),
    ...(isBlind(fields) && { verify: { level: 2 } }),
    caveats: [
      ...caveats,
      ...(blind.length > 0
        ? [`${blind.map(([name]) => name).join(', ')}: no state topic, so nothing can confirm it`]
        : []),
      ...(common.optimistic ? ['it is declared optimistic; what was sent is still no proof'] : []),
      ...(common.retain ? ['commands are not retained, although it asks for that'] : []),
    ],
  };
}

/** Nothing that can be commanded can be read: an acknowledgement is the most that will ever be known. */
export function isBlind(fields: DeviceBody['fields']): boolean {
  const commanded = Object.values(fields).filter((field) => field['write'] !== undefined);
  return commanded.length > 0 && commanded.every((field) => field['read'] === undefined);
}

/** A list counts before a single topic, which Home Assistant does not allow beside it. */
function availabilityOf(entity: CommonEntity): unknown {
  const { availability, availability_mode: mode, availability_topic: topic } = entity;
  const words = { payload_available: entity.payload_available, payload_not_available: entity.payload_not_available };
  if (availability) return { mode, list: availability.map((entry) => ({ ...words, ...entry })) };
  if (topic === undefined) return undefined;
  const template = entity.availability_template;
  return { topic, ...words, ...(template !== undefined && { value_template: template }) };
}

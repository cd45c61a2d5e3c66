import * as z from 'zod';
import { template, text } from '../schema-parts.ts';

/** Longest topic that is taken over, in characters. */
const MAX_TOPIC = 1024;

/** The name of one topic. Filters are refused: `#` would listen to the whole broker, and nobody can publish to one. */
export const topic = text
  .max(MAX_TOPIC, `a topic has at most ${MAX_TOPIC} characters`)
  .regex(/^[^$+#\0][^+#\0]*$/, 'a topic holds no + and no #, and does not begin with $');

/** A payload or a state; booleans are spelt as Home Assistant spells them. */
export const payload = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((written) => (typeof written === 'boolean' ? (written ? 'True' : 'False') : String(written)));

/** A number, which some bridges write as text. */
export const number = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^\s*[+-]?\d+(\.\d+)?\s*$/, 'expected a number')
      .transform(Number),
  ],
  { error: 'expected a number' },
);

export const words = z.array(payload);

const anything = z.unknown().optional();

const availabilityEntry = z.object({
  topic,
  payload_available: payload.optional(),
  payload_not_available: payload.optional(),
  value_template: template.optional(),
});

/** Keys of every entity. Those that only matter on Home Assistant's own pages are allowed and not looked at. */
export const commonShape = {
  name: z.string().optional(),
  unique_id: payload.optional(),
  object_id: text.optional(),
  default_entity_id: text.optional(),
  device: z.record(z.string(), z.unknown()).optional(),
  origin: z.record(z.string(), z.unknown()).optional(),
  platform: text.optional(),
  availability: z.array(availabilityEntry).min(1).optional(),
  availability_mode: z.enum(['all', 'any', 'latest']).default('latest'),
  availability_topic: topic.optional(),
  availability_template: template.optional(),
  payload_available: payload.default('online'),
  payload_not_available: payload.default('offline'),
  qos: z.literal([0, 1, 2]).optional(),
  retain: z.boolean().default(false),
  optimistic: z.boolean().default(false),
  value_template: template.optional(),
  device_class: anything,
  enabled_by_default: anything,
  encoding: anything,
  entity_category: anything,
  entity_picture: anything,
  group: anything,
  icon: anything,
  json_attributes_template: anything,
  json_attributes_topic: anything,
  message_expiry_interval: anything,
} as const;

/** What every kind of entity has. */
export type CommonEntity = z.output<z.ZodObject<typeof commonShape>>;

/** A field as `devices.<id>.fields.<name>` has it in a file. */
export type WrittenField = Readonly<Record<string, unknown>>;

/** How one field is commanded and reported. */
export interface Way {
  readonly command?: string | undefined;
  readonly commandTemplate?: string | undefined;
  readonly state?: string | undefined;
  readonly stateTemplate?: string | undefined;
}

/** The fields of an entity, in the order in which they are written. Those that have no topic are not there. */
export class FieldList {
  readonly fields: Record<string, WrittenField> = {};
  readonly #qos: number | undefined;

  constructor(entity: Pick<CommonEntity, 'qos'>) {
    this.#qos = entity.qos;
  }

  add(name: string, way: Way, rest: WrittenField = {}): void {
    const { command, commandTemplate, state, stateTemplate } = way;
    if (command === undefined && state === undefined) return;
    const qos = this.#qos === undefined ? {} : { qos: this.#qos };
    const { options, ...others } = rest;
    // A list that offers nothing says that nobody has filled it in.
    const isOffered = Array.isArray(options) && options.length > 0;
    this.fields[name] = {
      ...(command !== undefined && { write: { topic: command, payload: commandTemplate ?? '{{ value }}', ...qos } }),
      ...(state !== undefined && {
        read: { topic: state, ...(stateTemplate !== undefined && { template: stateTemplate }) },
      }),
      ...others,
      ...(isOffered && { options }),
    };
  }
}

/** The on and off of an entity that has other fields beside it, each with a template of its own. */
export function addPower(
  list: FieldList,
  entity: Parameters<typeof onOff>[0] & {
    readonly command_topic?: string | undefined;
    readonly command_template?: string | undefined;
    readonly state_topic?: string | undefined;
    readonly state_value_template?: string | undefined;
    readonly value_template?: string | undefined;
  },
): void {
  list.add(
    'power',
    {
      command: entity.command_topic,
      commandTemplate: entity.command_template,
      state: entity.state_topic,
      stateTemplate: entity.state_value_template ?? entity.value_template,
    },
    { map: onOff(entity) },
  );
}

/** The map of a switch-like field: what is written comes first, what is only reported follows. */
export function onOff(entity: {
  readonly payload_on: string;
  readonly payload_off: string;
  readonly state_on?: string | undefined;
  readonly state_off?: string | undefined;
}): [string, string][] {
  const { payload_on, payload_off, state_on = payload_on, state_off = payload_off } = entity;
  const pairs: [string, string][] = [
    [payload_on, 'on'],
    [payload_off, 'off'],
    [state_on, 'on'],
    [state_off, 'off'],
  ];
  return pairs.filter(([word], index) => pairs.findIndex(([earlier]) => earlier === word) === index);
}

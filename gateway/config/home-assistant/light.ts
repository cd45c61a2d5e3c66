import * as z from 'zod';
import { template } from '../schema-parts.ts';
import { commonShape, FieldList, number, onOff, payload, topic, type WrittenField, words } from './entity-parts.ts';
import type { Described, Description } from './kinds.ts';

const anything = z.unknown().optional();

const COLOURS = ['hs', 'rgb', 'rgbw', 'rgbww', 'white', 'xy'] as const;

/** Keys of colours, which are allowed and not taken over. */
const colourShape = Object.fromEntries(
  COLOURS.flatMap((colour) =>
    ['command_topic', 'command_template', 'state_topic', 'value_template'].map((key) => [`${colour}_${key}`, anything]),
  ),
);

const schema = z.object({
  ...commonShape,
  ...colourShape,
  brightness: z.boolean().default(false),
  brightness_command_topic: topic.optional(),
  brightness_command_template: template.optional(),
  brightness_scale: z.pipe(number, z.number().min(1)).default(255),
  brightness_state_topic: topic.optional(),
  brightness_value_template: template.optional(),
  color_mode: anything,
  color_mode_state_topic: anything,
  color_mode_value_template: anything,
  color_temp_command_topic: topic.optional(),
  color_temp_command_template: template.optional(),
  color_temp_kelvin: z.boolean().default(false),
  color_temp_state_topic: topic.optional(),
  color_temp_value_template: template.optional(),
  command_on_template: anything,
  command_off_template: anything,
  command_topic: topic,
  effect: z.boolean().default(false),
  effect_command_topic: topic.optional(),
  effect_command_template: template.optional(),
  effect_list: words.default([]),
  effect_state_topic: topic.optional(),
  effect_value_template: template.optional(),
  flash: anything,
  flash_time_long: anything,
  flash_time_short: anything,
  max_kelvin: number.optional(),
  max_mireds: number.optional(),
  min_kelvin: number.optional(),
  min_mireds: number.optional(),
  on_command_type: anything,
  payload_on: payload.default('ON'),
  payload_off: payload.default('OFF'),
  schema: z.enum(['basic', 'json', 'template']).default('basic'),
  state_template: template.optional(),
  state_topic: topic.optional(),
  state_value_template: template.optional(),
  supported_color_modes: words.default([]),
  transition: anything,
  white_scale: anything,
});

type Light = z.output<typeof schema>;

/** A lamp: on and off, brightness in the lamp's own steps, colour temperature, effects. Colours are not taken over. */
export const light: Description<typeof schema> = {
  schema,
  fields(entity): Described {
    const described = { basic, json, template: byTemplate }[entity.schema](entity);
    const colours = [
      ...entity.supported_color_modes.filter((mode) => (COLOURS as readonly string[]).includes(mode)),
      ...COLOURS.filter((colour) => (entity as Record<string, unknown>)[`${colour}_command_topic`] !== undefined),
    ];
    if (colours.length === 0) return described;
    const caveat = `colours are not taken over (${[...new Set(colours)].join(', ')})`;
    return { ...described, caveats: [...(described.caveats ?? []), caveat] };
  },
};

function basic(entity: Light): Described {
  const list = new FieldList(entity);
  const spare = entity.value_template;
  list.add(
    'power',
    { command: entity.command_topic, state: entity.state_topic, stateTemplate: entity.state_value_template ?? spare },
    { map: onOff(entity) },
  );
  list.add(
    'brightness',
    {
      command: entity.brightness_command_topic,
      commandTemplate: entity.brightness_command_template,
      state: entity.brightness_state_topic,
      stateTemplate: entity.brightness_value_template ?? spare,
    },
    brightnessOf(entity),
  );
  list.add(
    ...temperatureOf(entity, {
      command: entity.color_temp_command_topic,
      commandTemplate: entity.color_temp_command_template,
      state: entity.color_temp_state_topic,
      stateTemplate: entity.color_temp_value_template ?? spare,
    }),
  );
  list.add(
    'effect',
    {
      command: entity.effect_command_topic,
      commandTemplate: entity.effect_command_template,
      state: entity.effect_state_topic,
      stateTemplate: entity.effect_value_template ?? spare,
    },
    effectsOf(entity),
  );
  return { fields: list.fields };
}

/** One JSON object on one topic each way; what is not commanded is left out of it. */
function json(entity: Light): Described {
  const list = new FieldList(entity);
  const { command_topic: command, state_topic: state } = entity;
  const qos = entity.qos === undefined ? {} : { qos: entity.qos };
  const add = (name: string, key: string, rest: WrittenField) => {
    const message = key === 'state' ? { state: '{{ value }}' } : { state: 'ON', [key]: '{{ value }}' };
    list.fields[name] = {
      write: { topic: command, payload: message, ...qos },
      ...(state !== undefined && { read: { topic: state, path: key } }),
      ...rest,
    };
  };
  add('power', 'state', { map: { ON: 'on', OFF: 'off' } });
  const modes = entity.supported_color_modes;
  if (entity.brightness || modes.some((mode) => mode !== 'onoff'))
    add('brightness', 'brightness', brightnessOf(entity));
  if (modes.includes('color_temp')) {
    const [name, , rest] = temperatureOf(entity, {});
    add(name, 'color_temp', rest);
  }
  if (entity.effect && entity.effect_list.length > 0) add('effect', 'effect', effectsOf(entity));
  return { fields: list.fields };
}

/** Commands of this schema are programs over several fields at once; what it reports can be read all the same. */
function byTemplate(entity: Light): Described {
  const list = new FieldList(entity);
  const state = entity.state_topic;
  if (entity.state_template !== undefined) {
    list.add('power', { state, stateTemplate: entity.state_template }, { map: onOff(entity) });
  }
  return { fields: list.fields, caveats: ['it can only be read: its commands are written in the template schema'] };
}

/** In the lamp's own steps: lamps round, and one step in a hundred beside the wish is still what was wished for. */
function brightnessOf({ brightness_scale: scale }: Light): WrittenField {
  return { min: 1, max: scale, step: 1, tolerance: Math.max(1, Math.floor(scale / 100)) };
}

function temperatureOf<Way>(entity: Light, way: Way): [name: string, way: Way, rest: WrittenField] {
  if (entity.color_temp_kelvin) {
    const limits = { min: entity.min_kelvin ?? 2000, max: entity.max_kelvin ?? 6535 };
    return ['color_temp_kelvin', way, { ...limits, step: 1, tolerance: 50, unit: 'K' }];
  }
  const limits = { min: entity.min_mireds ?? 153, max: entity.max_mireds ?? 500 };
  return ['color_temp', way, { ...limits, step: 1, tolerance: 3, unit: 'mired' }];
}

function effectsOf({ effect_list: effects }: Light): WrittenField {
  return effects.length > 0 ? { options: effects } : {};
}

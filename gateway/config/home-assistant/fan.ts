import * as z from 'zod';
import { template } from '../schema-parts.ts';
import {
  addPower,
  commonShape,
  FieldList,
  number,
  onOff,
  payload,
  topic,
  type WrittenField,
  words,
} from './entity-parts.ts';
import type { Description } from './kinds.ts';

/** More speeds than this are not told apart one by one. */
const MAX_LEVELS = 1000;

const schema = z.object({
  ...commonShape,
  command_topic: topic,
  command_template: template.optional(),
  direction_command_topic: topic.optional(),
  direction_command_template: template.optional(),
  direction_state_topic: topic.optional(),
  direction_value_template: template.optional(),
  oscillation_command_topic: topic.optional(),
  oscillation_command_template: template.optional(),
  oscillation_state_topic: topic.optional(),
  oscillation_value_template: template.optional(),
  payload_on: payload.default('ON'),
  payload_off: payload.default('OFF'),
  payload_oscillation_on: payload.default('oscillate_on'),
  payload_oscillation_off: payload.default('oscillate_off'),
  payload_reset_percentage: payload.default('None'),
  payload_reset_preset_mode: payload.default('None'),
  percentage_command_topic: topic.optional(),
  percentage_command_template: template.optional(),
  percentage_state_topic: topic.optional(),
  percentage_value_template: template.optional(),
  preset_mode_command_topic: topic.optional(),
  preset_mode_command_template: template.optional(),
  preset_mode_state_topic: topic.optional(),
  preset_mode_value_template: template.optional(),
  preset_modes: words.default([]),
  speed_range_max: z.pipe(number, z.int().max(MAX_LEVELS)).default(100),
  speed_range_min: z.pipe(number, z.int().min(1)).default(1),
  state_topic: topic.optional(),
  state_value_template: template.optional(),
});

/** A fan. Its speeds keep to the levels that it has: on one with three there is 33, 67 and 100 per cent. */
export const fan: Description<typeof schema> = {
  schema,
  fields(entity) {
    const list = new FieldList(entity);
    const spare = entity.value_template;
    addPower(list, entity);
    const levels = levelsOf(entity.speed_range_min, entity.speed_range_max);
    list.add(
      'percentage',
      {
        command: entity.percentage_command_topic,
        // A level is a number to the template, which may look it up in a table.
        commandTemplate: `{% set value = value | int %}${entity.percentage_command_template ?? '{{ value }}'}`,
        state: entity.percentage_state_topic,
        stateTemplate: entity.percentage_value_template ?? spare,
      },
      { ...levels, nulls: [entity.payload_reset_percentage] },
    );
    list.add(
      'preset_mode',
      {
        command: entity.preset_mode_command_topic,
        commandTemplate: entity.preset_mode_command_template,
        state: entity.preset_mode_state_topic,
        stateTemplate: entity.preset_mode_value_template ?? spare,
      },
      { options: entity.preset_modes, nulls: [entity.payload_reset_preset_mode] },
    );
    list.add(
      'oscillating',
      {
        command: entity.oscillation_command_topic,
        commandTemplate: entity.oscillation_command_template,
        state: entity.oscillation_state_topic,
        stateTemplate: entity.oscillation_value_template ?? spare,
      },
      { map: onOff({ payload_on: entity.payload_oscillation_on, payload_off: entity.payload_oscillation_off }) },
    );
    list.add(
      'direction',
      {
        command: entity.direction_command_topic,
        commandTemplate: entity.direction_command_template,
        state: entity.direction_state_topic,
        stateTemplate: entity.direction_value_template ?? spare,
      },
      { options: ['forward', 'reverse'] },
    );
    return { fields: list.fields };
  },
};

/** Per cent, standing on the fan's own levels. 0 is reported and cannot be asked for: that is what `power` is for. */
function levelsOf(low: number, high: number): WrittenField {
  if (low === 1 && high === 100) return { min: 1, max: 100, step: 1, unit: '%' };
  const count = Math.max(1, high - low + 1);
  const levels = Array.from({ length: count }, (_, index) => [
    String(low + index),
    Math.round(((index + 1) * 100) / count),
  ]);
  return { map: [...levels, ['0', 0]], min: 1, max: 100, unit: '%' };
}

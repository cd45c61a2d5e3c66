import * as z from 'zod';
import { template } from '../schema-parts.ts';
import { addPower, commonShape, FieldList, number, payload, topic, words } from './entity-parts.ts';
import type { Description } from './kinds.ts';

const schema = z.object({
  ...commonShape,
  action_topic: topic.optional(),
  action_template: template.optional(),
  command_topic: topic,
  command_template: template.optional(),
  current_humidity_topic: topic.optional(),
  current_humidity_template: template.optional(),
  max_humidity: number.default(100),
  min_humidity: number.default(0),
  mode_command_topic: topic.optional(),
  mode_command_template: template.optional(),
  mode_state_topic: topic.optional(),
  mode_state_template: template.optional(),
  modes: words.default([]),
  payload_on: payload.default('ON'),
  payload_off: payload.default('OFF'),
  payload_reset_humidity: payload.default('None'),
  payload_reset_mode: payload.default('None'),
  state_topic: topic.optional(),
  state_value_template: template.optional(),
  target_humidity_command_topic: topic,
  target_humidity_command_template: template.optional(),
  target_humidity_state_topic: topic.optional(),
  target_humidity_state_template: template.optional(),
});

/** A humidifier or dehumidifier. */
export const humidifier: Description<typeof schema> = {
  schema,
  fields(entity) {
    const list = new FieldList(entity);
    const spare = entity.value_template;
    addPower(list, entity);
    list.add(
      'mode',
      {
        command: entity.mode_command_topic,
        commandTemplate: entity.mode_command_template,
        state: entity.mode_state_topic,
        stateTemplate: entity.mode_state_template ?? spare,
      },
      { options: entity.modes, nulls: [entity.payload_reset_mode] },
    );
    list.add(
      'target_humidity',
      {
        command: entity.target_humidity_command_topic,
        commandTemplate: entity.target_humidity_command_template,
        state: entity.target_humidity_state_topic,
        stateTemplate: entity.target_humidity_state_template ?? spare,
      },
      {
        min: entity.min_humidity,
        max: entity.max_humidity,
        step: 1,
        unit: '%',
        nulls: [entity.payload_reset_humidity],
      },
    );
    list.add('action', { state: entity.action_topic, stateTemplate: entity.action_template ?? spare });
    list.add(
      'current_humidity',
      { state: entity.current_humidity_topic, stateTemplate: entity.current_humidity_template ?? spare },
      { unit: '%' },
    );
    return { fields: list.fields };
  },
};

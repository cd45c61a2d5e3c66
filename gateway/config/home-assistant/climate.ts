import * as z from 'zod';
import { template } from '../schema-parts.ts';
import { commonShape, FieldList, number, payload, topic, words } from './entity-parts.ts';
import type { Description } from './kinds.ts';

/** In °C; converted where the device speaks Fahrenheit. */
const DEFAULT_LIMITS = { min: 7, max: 35 } as const;

const schema = z.object({
  ...commonShape,
  action_topic: topic.optional(),
  action_template: template.optional(),
  current_humidity_topic: topic.optional(),
  current_humidity_template: template.optional(),
  current_temperature_topic: topic.optional(),
  current_temperature_template: template.optional(),
  fan_mode_command_topic: topic.optional(),
  fan_mode_command_template: template.optional(),
  fan_mode_state_topic: topic.optional(),
  fan_mode_state_template: template.optional(),
  fan_modes: words.default(['auto', 'low', 'medium', 'high']),
  initial: z.unknown().optional(),
  max_humidity: number.default(99),
  min_humidity: number.default(30),
  max_temp: number.optional(),
  min_temp: number.optional(),
  mode_command_topic: topic.optional(),
  mode_command_template: template.optional(),
  mode_state_topic: topic.optional(),
  mode_state_template: template.optional(),
  modes: words.default(['auto', 'off', 'cool', 'heat', 'dry', 'fan_only']),
  payload_on: payload.default('ON'),
  payload_off: payload.default('OFF'),
  power_command_topic: topic.optional(),
  power_command_template: template.optional(),
  precision: number.optional(),
  preset_mode_command_topic: topic.optional(),
  preset_mode_command_template: template.optional(),
  preset_mode_state_topic: topic.optional(),
  preset_mode_value_template: template.optional(),
  preset_modes: words.default([]),
  swing_mode_command_topic: topic.optional(),
  swing_mode_command_template: template.optional(),
  swing_mode_state_topic: topic.optional(),
  swing_mode_state_template: template.optional(),
  swing_modes: words.default(['on', 'off']),
  swing_horizontal_mode_command_topic: topic.optional(),
  swing_horizontal_mode_command_template: template.optional(),
  swing_horizontal_mode_state_topic: topic.optional(),
  swing_horizontal_mode_state_template: template.optional(),
  swing_horizontal_modes: words.default(['on', 'off']),
  target_humidity_command_topic: topic.optional(),
  target_humidity_command_template: template.optional(),
  target_humidity_state_topic: topic.optional(),
  target_humidity_state_template: template.optional(),
  temp_step: number.default(1),
  temperature_command_topic: topic.optional(),
  temperature_command_template: template.optional(),
  temperature_state_topic: topic.optional(),
  temperature_state_template: template.optional(),
  temperature_high_command_topic: topic.optional(),
  temperature_high_command_template: template.optional(),
  temperature_high_state_topic: topic.optional(),
  temperature_high_state_template: template.optional(),
  temperature_low_command_topic: topic.optional(),
  temperature_low_command_template: template.optional(),
  temperature_low_state_topic: topic.optional(),
  temperature_low_state_template: template.optional(),
  temperature_unit: z.enum(['C', 'F']).default('C'),
});

type Climate = z.output<typeof schema>;

/** An air conditioner, heat pump, thermostat or radiator valve. */
export const climate: Description<typeof schema> = {
  schema,
  fields(entity) {
    const list = new FieldList(entity);
    list.add(
      'power',
      { command: entity.power_command_topic, commandTemplate: entity.power_command_template },
      { map: { [entity.payload_on]: 'on', [entity.payload_off]: 'off' } },
    );
    list.add('hvac_mode', way(entity, 'mode'), { options: entity.modes, alias: twinOfAuto(entity.modes) });
    addTemperatures(list, entity);
    list.add('fan_mode', way(entity, 'fan_mode'), { options: entity.fan_modes });
    list.add('swing_mode', way(entity, 'swing_mode'), { options: entity.swing_modes });
    list.add('swing_horizontal_mode', way(entity, 'swing_horizontal_mode'), { options: entity.swing_horizontal_modes });
    list.add(
      'preset_mode',
      {
        command: entity.preset_mode_command_topic,
        commandTemplate: entity.preset_mode_command_template,
        state: entity.preset_mode_state_topic,
        stateTemplate: entity.preset_mode_value_template ?? entity.value_template,
      },
      // `none` may always be asked for, and is never in the list itself.
      { options: ['none', ...entity.preset_modes.filter((mode) => mode !== 'none')] },
    );
    const humidity = { min: entity.min_humidity, max: entity.max_humidity, step: 1, unit: '%' };
    list.add('target_humidity', way(entity, 'target_humidity'), humidity);
    const spare = entity.value_template;
    list.add('hvac_action', { state: entity.action_topic, stateTemplate: entity.action_template ?? spare });
    list.add(
      'current_temperature',
      { state: entity.current_temperature_topic, stateTemplate: entity.current_temperature_template ?? spare },
      { unit: entity.temperature_unit },
    );
    list.add(
      'current_humidity',
      { state: entity.current_humidity_topic, stateTemplate: entity.current_humidity_template ?? spare },
      { unit: '%' },
    );
    return { fields: list.fields };
  },
};

function addTemperatures(list: FieldList, entity: Climate): void {
  const unit = entity.temperature_unit;
  const converted = (celsius: number) => (unit === 'F' ? (celsius * 9) / 5 + 32 : celsius);
  const limits = {
    min: entity.min_temp ?? converted(DEFAULT_LIMITS.min),
    max: entity.max_temp ?? converted(DEFAULT_LIMITS.max),
    step: entity.temp_step,
    unit,
  };
  list.add('target_temperature', way(entity, 'temperature'), limits);
  list.add('target_temperature_high', way(entity, 'temperature_high'), limits);
  list.add('target_temperature_low', way(entity, 'temperature_low'), limits);
}

type Commanded =
  | 'mode'
  | 'fan_mode'
  | 'swing_mode'
  | 'swing_horizontal_mode'
  | 'target_humidity'
  | 'temperature'
  | 'temperature_high'
  | 'temperature_low';

function way(entity: Climate, name: Commanded) {
  return {
    command: entity[`${name}_command_topic`],
    commandTemplate: entity[`${name}_command_template`],
    state: entity[`${name}_state_topic`],
    stateTemplate: entity[`${name}_state_template`] ?? entity.value_template,
  };
}

/** Bridges offer `auto` and report `heat_cool`, or the other way round; where only one is offered, both mean it. */
function twinOfAuto(modes: readonly string[]): Record<string, string> {
  const [auto, both] = [modes.includes('auto'), modes.includes('heat_cool')];
  if (auto === both) return {};
  return auto ? { heat_cool: 'auto' } : { auto: 'heat_cool' };
}

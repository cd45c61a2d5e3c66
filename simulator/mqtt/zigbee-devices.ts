import { copyOf, suffix } from '../core/copies.ts';
import { numberField, wordField } from '../core/model.ts';
import type { ZigbeeDevice } from './zigbee2mqtt.ts';

const measured = (min: number, max: number) => numberField(min, max, { settable: false });
const whole = (min: number, max: number) => numberField(min, max, { integer: true });

/** A radiator valve: one command topic for each attribute, limits as strings. */
const RADIATOR: ZigbeeDevice = {
  model: {
    id: 'z2m_radiator',
    name: 'Hall radiator',
    protocol: 'zigbee2mqtt',
    fields: {
      occupied_heating_setpoint: numberField(5, 30),
      system_mode: wordField(['off', 'auto', 'heat']),
      preset: wordField(['schedule', 'manual', 'away']),
      local_temperature: measured(-20, 60),
      battery: measured(0, 100),
      linkquality: measured(0, 255),
    },
    start: {
      occupied_heating_setpoint: 19,
      system_mode: 'heat',
      preset: 'manual',
      local_temperature: 20.3,
      battery: 81,
      linkquality: 102,
    },
  },
  friendlyName: 'hall radiator',
  ieeeAddress: '0x70b3d52b60aa0c01',
  component: 'climate',
  config: (topic) => ({
    temperature_unit: 'C',
    temp_step: 0.5,
    min_temp: '5',
    max_temp: '30',
    current_temperature_topic: topic,
    current_temperature_template: '{{ value_json["local_temperature"] }}',
    mode_state_topic: topic,
    mode_state_template: '{{ value_json["system_mode"] }}',
    mode_command_topic: `${topic}/set/system_mode`,
    modes: ['off', 'auto', 'heat'],
    action_topic: topic,
    action_template:
      "{% set values = {None:None,'idle':'idle','heat':'heating'} %}{{ values[value_json[\"running_state\"]] }}",
    temperature_command_topic: `${topic}/set/occupied_heating_setpoint`,
    temperature_state_topic: topic,
    temperature_state_template: '{{ value_json["occupied_heating_setpoint"] }}',
    preset_modes: ['schedule', 'manual', 'away'],
    preset_mode_command_topic: `${topic}/set/preset`,
    preset_mode_state_topic: topic,
    preset_mode_value_template: '{{ value_json["preset"] }}',
  }),
  derived: ({ system_mode: mode, occupied_heating_setpoint: wanted, local_temperature: room }) => ({
    running_state: mode !== 'off' && Number(wanted) > Number(room) ? 'heat' : 'idle',
  }),
  translate: (command) => command,
};

/** A lamp: one topic, JSON schema, brightness up to 254. */
const LAMP: ZigbeeDevice = {
  model: {
    id: 'z2m_lamp',
    name: 'Reading lamp',
    protocol: 'zigbee2mqtt',
    fields: {
      state: wordField(['ON', 'OFF']),
      brightness: whole(0, 254),
      color_temp: whole(153, 500),
      linkquality: measured(0, 255),
    },
    start: { state: 'OFF', brightness: 120, color_temp: 370, linkquality: 141 },
  },
  friendlyName: 'reading lamp',
  ieeeAddress: '0x00178801000b0c02',
  component: 'light',
  config: (topic) => ({
    schema: 'json',
    brightness: true,
    brightness_scale: 254,
    supported_color_modes: ['color_temp'],
    min_mireds: 153,
    max_mireds: 500,
    command_topic: `${topic}/set`,
    state_topic: topic,
  }),
  derived: () => ({ color_mode: 'color_temp' }),
  // Brightness alone switches it on. It knows no transitions, and does not mind being asked for one.
  translate: ({ transition: _, ...command }) => ({
    ...(typeof command['brightness'] === 'number' && command['brightness'] > 0 && { state: 'ON' }),
    ...command,
  }),
};

/** A blind: it says where it is while it travels, and the target as if it were there already. */
const BLIND: ZigbeeDevice = {
  model: {
    id: 'z2m_blind',
    name: 'Kitchen blind',
    protocol: 'zigbee2mqtt',
    fields: {
      position: whole(0, 100),
      motor_state: wordField(['stopped', 'opening', 'closing']),
      linkquality: measured(0, 255),
    },
    start: { position: 100, motor_state: 'stopped', linkquality: 87 },
    travel: {
      field: 'position',
      sign: 'motor_state',
      words: { up: 'opening', down: 'closing', rest: 'stopped' },
      fullMs: 10_000,
      everyMs: 1_000,
    },
  },
  friendlyName: 'kitchen blind',
  ieeeAddress: '0x8cf68100000c0c03',
  component: 'cover',
  config: (topic) => ({
    command_topic: `${topic}/set`,
    state_topic: topic,
    value_template:
      '{% if "motor_state" in value_json and value_json["motor_state"] %} {{ value_json["motor_state"] }} {% else %} stopped {% endif %}',
    state_opening: 'opening',
    state_closing: 'closing',
    state_stopped: 'stopped',
    position_topic: topic,
    position_template: '{{ value_json["position"] }}',
    set_position_topic: `${topic}/set`,
    set_position_template: '{ "position": {{ position }} }',
  }),
  derived: ({ position }) => ({ state: Number(position) > 0 ? 'OPEN' : 'CLOSE' }),
  translate: ({ state, ...command }) => {
    switch (state) {
      case undefined:
        return command;
      case 'OPEN':
        return { position: 100, ...command };
      case 'CLOSE':
        return { position: 0, ...command };
      case 'STOP':
        return { motor_state: 'stopped', ...command };
      default:
        return { state, ...command };
    }
  },
};

export const ZIGBEE_DEVICES = [RADIATOR, LAMP, BLIND] as const;

/** Another one of the same kind. */
export function copyOfZigbee(device: ZigbeeDevice, number: number): ZigbeeDevice {
  return {
    ...device,
    model: copyOf(device.model, number),
    friendlyName: `${device.friendlyName}${suffix(number, ' ')}`,
    ieeeAddress: `${device.ieeeAddress}${suffix(number, '').padStart(number === 1 ? 0 : 2, '0')}`,
  };
}

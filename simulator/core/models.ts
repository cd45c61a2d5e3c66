import { type DeviceModel, numberField, wordField } from './model.ts';

/** Airflow directions: one list of words, for both axes of both devices. */
const DIRECTIONS = ['AUTO', 'SWING', 'NEAR', 'MIDDLE', 'FAR'] as const;

/** Commands say ON, sensors say On: an oddity of the device that a gateway has to live with. */
const power = () => wordField(['ON', 'OFF'], { ON: 'On', OFF: 'Off' });

const AIR_CONDITIONER: DeviceModel = {
  id: 'ac',
  name: 'Air conditioner',
  protocol: 'http',
  fields: {
    power: power(),
    temperature: numberField(16, 30),
    mode: wordField(['COOL', 'HEAT', 'DRY', 'FAN', 'AUTO']),
    fan_speed: wordField(['AUTO', 'LOW', 'MEDIUM', 'HIGH']),
    vertical: wordField(DIRECTIONS),
    horizontal: wordField(DIRECTIONS),
    room_temperature: numberField(-20, 60, { settable: false }),
  },
  start: {
    power: 'ON',
    temperature: 24,
    mode: 'COOL',
    fan_speed: 'AUTO',
    vertical: 'AUTO',
    horizontal: 'MIDDLE',
    room_temperature: 27.5,
  },
};

const FAN: DeviceModel = {
  id: 'fan',
  name: 'Fan',
  protocol: 'http',
  fields: {
    power: power(),
    speed: numberField(1, 8, { integer: true }),
    vertical: wordField(DIRECTIONS),
    horizontal: wordField(DIRECTIONS),
  },
  start: { power: 'OFF', speed: 3, vertical: 'MIDDLE', horizontal: 'MIDDLE' },
};

/** A fan on an ESPHome node, which speaks by itself to those who listen. */
const ESPHOME_FAN: DeviceModel = {
  id: 'esp_fan',
  name: 'Porch Fan',
  protocol: 'web_server',
  fields: { state: wordField(['ON', 'OFF']), speed_level: numberField(1, 4, { integer: true }) },
  start: { state: 'OFF', speed_level: 2 },
};

/** The devices that are always there; they speak HTTP. */
export const HTTP_MODELS = [AIR_CONDITIONER, FAN, ESPHOME_FAN] as const satisfies readonly DeviceModel[];

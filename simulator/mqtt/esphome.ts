import { type DeviceModel, numberField, type State, wordField } from '../core/model.ts';
import { type Dialect, type Meaning, parseLoosely } from './dialect.ts';
import { discovery, kept } from './message.ts';
import type { StationPlan } from './station.ts';

const NODE = 'studio-ac';
const BASE = `${NODE}/climate/studio_ac`;
const MODES = ['off', 'cool', 'heat', 'fan_only', 'dry', 'heat_cool'] as const;
const FAN_MODES = ['auto', 'low', 'medium', 'high'] as const;
const SWING_MODES = ['off', 'vertical'] as const;

/** It takes words in any case and shows them in capitals. */
const word = (options: readonly string[]) =>
  wordField(options, Object.fromEntries(options.map((option) => [option, option.toUpperCase()])));

const MODEL: DeviceModel = {
  id: 'esp_ac',
  name: 'Studio AC',
  protocol: 'esphome',
  fields: {
    mode: word(MODES),
    target_temperature: numberField(17, 30),
    fan_mode: word(FAN_MODES),
    swing_mode: word(SWING_MODES),
    current_temperature: numberField(-20, 60, { settable: false }),
  },
  start: { mode: 'cool', target_temperature: 24, fan_mode: 'auto', swing_mode: 'off', current_temperature: 26.5 },
};

/**
 * An air conditioner on an ESPHome node: a retained topic for each attribute, all of them published on every change,
 * and nothing said before the device has acted. What it does not understand it drops without a word.
 */
const CLIMATE: Dialect = {
  model: MODEL,
  filters: [`${BASE}/+/command`],
  announcement: [
    discovery('climate', `${NODE}/studio_ac`, {
      curr_temp_t: `${BASE}/current_temperature/state`,
      mode_cmd_t: `${BASE}/mode/command`,
      mode_stat_t: `${BASE}/mode/state`,
      modes: MODES,
      temp_cmd_t: `${BASE}/target_temperature/command`,
      temp_stat_t: `${BASE}/target_temperature/state`,
      min_temp: 17,
      max_temp: 30,
      temp_step: 0.5,
      temp_unit: 'C',
      fan_mode_cmd_t: `${BASE}/fan_mode/command`,
      fan_mode_stat_t: `${BASE}/fan_mode/state`,
      fan_modes: FAN_MODES,
      swing_mode_cmd_t: `${BASE}/swing_mode/command`,
      swing_mode_stat_t: `${BASE}/swing_mode/state`,
      swing_modes: SWING_MODES,
      name: '',
      obj_id: 'studio_ac',
      avty_t: `${NODE}/status`,
      uniq_id: 'ESPclimatestudio_ac',
      dev: { ids: 'a0b1c2d3c0de', name: 'Studio AC', sw: '2026.x', mdl: 'esp32-c3-devkitm-1', mf: 'Espressif' },
    }),
  ],
  firstStateAfterMs: 0,
  repeatEveryMs: 60_000,
  echoes: [],
  answersAfterMs: 0,
  caches: false,
  availability: () => [],
  state: (state) => Object.entries(state).map(([name, value]) => kept(`${BASE}/${name}/state`, spelt(value))),
  understand,
  refuse: () => [],
};

/** The node is the device. */
export const ESPHOME_NODE: StationPlan = {
  clientId: `simulator-${NODE}`,
  will: kept(`${NODE}/status`, 'offline'),
  birth: kept(`${NODE}/status`, 'online'),
  dialects: [CLIMATE],
  isDevice: true,
};

function spelt(value: State[string]): string {
  return typeof value === 'number' ? value.toFixed(1) : value;
}

function understand(topic: string, payload: string): Meaning | null {
  const [, field] = new RegExp(`^${BASE}/(\\w+)/command$`).exec(topic) ?? [];
  if (field === undefined) return null;
  const value = MODEL.fields[field]?.type === 'word' ? payload.toLowerCase() : parseLoosely(payload);
  return { type: 'command', what: field, body: { [field]: value } };
}

import { copyOf, suffix } from '../core/copies.ts';
import { type DeviceModel, numberField, type State, wordField } from '../core/model.ts';
import { type Dialect, type Meaning, parseLoosely } from './dialect.ts';
import { discovery, kept } from './message.ts';
import type { StationPlan } from './station.ts';

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
function climate(number: number): Dialect {
  const { node, entity, base } = namesOf(number);
  const model = copyOf(MODEL, number);
  return {
    model,
    filters: [`${base}/+/command`],
    announcement: [
      discovery('climate', `${node}/${entity}`, {
        curr_temp_t: `${base}/current_temperature/state`,
        mode_cmd_t: `${base}/mode/command`,
        mode_stat_t: `${base}/mode/state`,
        modes: MODES,
        temp_cmd_t: `${base}/target_temperature/command`,
        temp_stat_t: `${base}/target_temperature/state`,
        min_temp: 17,
        max_temp: 30,
        temp_step: 0.5,
        temp_unit: 'C',
        fan_mode_cmd_t: `${base}/fan_mode/command`,
        fan_mode_stat_t: `${base}/fan_mode/state`,
        fan_modes: FAN_MODES,
        swing_mode_cmd_t: `${base}/swing_mode/command`,
        swing_mode_stat_t: `${base}/swing_mode/state`,
        swing_modes: SWING_MODES,
        name: '',
        obj_id: entity,
        avty_t: `${node}/status`,
        uniq_id: `ESPclimate${entity}`,
        dev: {
          ids: `a0b1c2d3c0de${suffix(number)}`,
          name: model.name,
          sw: '2026.x',
          mdl: 'esp32-c3-devkitm-1',
          mf: 'Espressif',
        },
      }),
    ],
    firstStateAfterMs: 0,
    repeatEveryMs: 60_000,
    echoes: [],
    answersAfterMs: 0,
    caches: false,
    availability: () => [],
    state: (state) => Object.entries(state).map(([name, value]) => kept(`${base}/${name}/state`, spelt(value))),
    understand: (topic, payload) => understand(base, topic, payload),
    refuse: () => [],
  };
}

/** The node is the device. */
export function esphomeNode(number: number): StationPlan {
  const { node } = namesOf(number);
  return {
    clientId: `simulator-${node}`,
    will: kept(`${node}/status`, 'offline'),
    birth: kept(`${node}/status`, 'online'),
    dialects: [climate(number)],
    isDevice: true,
  };
}

function namesOf(number: number) {
  const node = `studio-ac${suffix(number, '-')}`;
  const entity = `studio_ac${suffix(number)}`;
  return { node, entity, base: `${node}/climate/${entity}` };
}

function spelt(value: State[string]): string {
  return typeof value === 'number' ? value.toFixed(1) : value;
}

function understand(base: string, topic: string, payload: string): Meaning | null {
  const [, field] = new RegExp(`^${base}/(\\w+)/command$`).exec(topic) ?? [];
  if (field === undefined) return null;
  const value = MODEL.fields[field]?.type === 'word' ? payload.toLowerCase() : parseLoosely(payload);
  return { type: 'command', what: field, body: { [field]: value } };
}

import { copyOf, suffix } from '../core/copies.ts';
import { type DeviceModel, numberField, type State, wordField } from '../core/model.ts';
import { type Dialect, type Meaning, parseLoosely } from './dialect.ts';
import { discovery, kept, news } from './message.ts';
import type { StationPlan } from './station.ts';

const MODES = ['heat_cool', 'cool', 'dry', 'heat', 'fan_only', 'off'] as const;
const FAN_MODES = ['auto', 'diffuse', 'low', 'middle', 'medium', 'high'] as const;
const VANES = ['AUTO', '1', '2', '3', '4', '5', 'SWING'] as const;

/** What the bridge makes of a temperature beyond its limits. */
const FALLBACK_TEMPERATURE = 23;

const LIMITS = { min: 16, max: 31 } as const;

const MODEL: DeviceModel = {
  id: 'cn105_heatpump',
  name: 'Loft heat pump',
  protocol: 'cn105',
  fields: {
    mode: wordField(MODES),
    temperature: numberField(LIMITS.min, LIMITS.max),
    fan: wordField(FAN_MODES),
    vane: wordField(VANES),
    roomTemperature: numberField(-20, 60, { settable: false }),
  },
  start: { mode: 'heat', temperature: 21, fan: 'auto', vane: 'AUTO', roomTemperature: 19.5 },
};

/** The last level of each command topic, and the field it sets. */
const COMMANDS: Readonly<Record<string, string>> = { mode: 'mode', temp: 'temperature', fan: 'fan', vane: 'vane' };

/** A template with a default of its own, which invents a value where the state says none. */
const orElse = (key: string, invented: string) =>
  `{{ value_json.${key} if (value_json is defined and value_json.${key} is defined and value_json.${key}|length) else '${invented}' }}`;

/**
 * A bridge on a heat pump's CN105 port: it says at once what it was told, as if that were the state; then comes a packet
 * of the unit that was still under way and shows the old value; then the unit acts.
 */
function heatPump(number: number): Dialect {
  const { id, base } = namesOf(number);
  const model = copyOf(MODEL, number);
  return {
    model,
    filters: [`${base}/+/set`],
    announcement: [
      discovery('climate', id, {
        name: null,
        obj_id: `loft_heat_pump${suffix(number)}`,
        unique_id: `hp7c05${suffix(number)}`,
        modes: MODES,
        mode_cmd_t: `${base}/mode/set`,
        mode_stat_t: `${base}/state`,
        mode_stat_tpl: orElse('mode', 'off'),
        temp_cmd_t: `${base}/temp/set`,
        temp_stat_t: `${base}/state`,
        temp_stat_tpl:
          '{% if value_json is defined and value_json.temperature is defined %}{{ value_json.temperature }}{% else %}22{% endif %}',
        curr_temp_t: `${base}/state`,
        curr_temp_tpl:
          '{{ value_json.roomTemperature if (value_json is defined and value_json.roomTemperature is defined and value_json.roomTemperature|int > 1) }}',
        min_temp: LIMITS.min,
        max_temp: LIMITS.max,
        temp_step: 0.5,
        temperature_unit: 'C',
        fan_modes: FAN_MODES,
        fan_mode_cmd_t: `${base}/fan/set`,
        fan_mode_stat_t: `${base}/state`,
        fan_mode_stat_tpl: orElse('fan', 'AUTO'),
        swing_modes: VANES,
        swing_mode_cmd_t: `${base}/vane/set`,
        swing_mode_stat_t: `${base}/state`,
        swing_mode_stat_tpl: orElse('vane', 'AUTO'),
        action_topic: `${base}/state`,
        action_template: orElse('action', 'idle'),
        avty_t: `${base}/availability`,
        pl_avail: 'online',
        pl_not_avail: 'offline',
        device: { ids: id, name: model.name, sw: 'bridge 1.x', mdl: 'HVAC', mf: 'Simulated' },
      }),
    ],
    firstStateAfterMs: 2_500,
    repeatEveryMs: 45_000,
    echoes: [
      { afterMs: 30, shows: 'wanted' },
      { afterMs: 600, shows: 'present' },
    ],
    answersAfterMs: 0,
    caches: false,
    availability: () => [],
    state: (state) => [news(`${base}/state`, { ...state, wideVane: '|', action: actionOf(state) })],
    understand: (topic, payload) => understand(base, topic, payload),
    refuse: () => [],
  };
}

/** The bridge sits in the unit and has no power without it. */
export function cn105Bridge(number: number): StationPlan {
  const { id, base } = namesOf(number);
  return {
    clientId: `simulator-${id}`,
    will: kept(`${base}/availability`, 'offline'),
    birth: kept(`${base}/availability`, 'online'),
    dialects: [heatPump(number)],
    isDevice: true,
  };
}

function namesOf(number: number) {
  const id = `hp-loft${suffix(number, '-')}`;
  return { id, base: `heatpump/${id}` };
}

function actionOf({ mode, temperature, roomTemperature }: State): string {
  if (mode === 'off') return 'off';
  if (mode === 'heat') return Number(temperature) > Number(roomTemperature) ? 'heating' : 'idle';
  if (mode === 'cool') return Number(temperature) < Number(roomTemperature) ? 'cooling' : 'idle';
  return 'idle';
}

function understand(base: string, topic: string, payload: string): Meaning | null {
  const [, what] = new RegExp(`^${base}/(\\w+)/set$`).exec(topic) ?? [];
  if (what === undefined) return null;
  const field = COMMANDS[what];
  if (field === undefined) return { type: 'unknown', what, detail: 'no such topic' };
  return { type: 'command', what, body: { [field]: field === 'temperature' ? temperatureOf(payload) : payload } };
}

function temperatureOf(payload: string): unknown {
  const value = parseLoosely(payload);
  if (typeof value !== 'number') return value;
  return value >= LIMITS.min && value <= LIMITS.max ? value : FALLBACK_TEMPERATURE;
}

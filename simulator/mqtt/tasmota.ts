import { type DeviceModel, type State, wordField } from '../core/model.ts';
import type { Dialect, Meaning, Occasion } from './dialect.ts';
import { discovery, kept, type Message, news } from './message.ts';
import type { StationPlan } from './station.ts';

const TOPIC = 'washer_plug';

const MODEL: DeviceModel = {
  id: 'tasmota_plug',
  name: 'Washer plug',
  protocol: 'tasmota',
  fields: { power: wordField(['ON', 'OFF']) },
  start: { power: 'OFF' },
};

/** The words that a relay takes. */
const WORDS: Readonly<Record<string, string>> = {
  ON: 'ON',
  '1': 'ON',
  TRUE: 'ON',
  OFF: 'OFF',
  '0': 'OFF',
  FALSE: 'OFF',
};

/**
 * A plug with Tasmota whose relay hangs on a second chip: the firmware answers a command at once with the value it was
 * given, and once more when the chip has switched. Only the second one, an empty command and the telemetry tell the truth.
 */
const PLUG: Dialect = {
  model: MODEL,
  filters: [`cmnd/${TOPIC}/+`],
  announcement: [
    discovery('switch', `A10C04_RL_1`, {
      name: 'Washer plug',
      obj_id: TOPIC,
      cmd_t: `cmnd/${TOPIC}/POWER`,
      stat_t: `stat/${TOPIC}/RESULT`,
      val_tpl: '{{value_json.POWER}}',
      pl_off: 'OFF',
      pl_on: 'ON',
      avty_t: `tele/${TOPIC}/LWT`,
      pl_avail: 'Online',
      pl_not_avail: 'Offline',
      uniq_id: 'A10C04_RL_1',
      dev: { ids: ['A10C04'], name: 'Washer plug', mdl: 'Plug', sw: '15.1.0(tasmota)', mf: 'Tasmota' },
    }),
  ],
  firstStateAfterMs: 2_500,
  repeatEveryMs: 300_000,
  echoes: [{ afterMs: 0, shows: 'wanted' }],
  answersAfterMs: 0,
  caches: false,
  availability: () => [],
  state: told,
  understand,
  refuse: ({ type }) => [result({ Command: type === 'unknown' ? 'Unknown' : 'Error' })],
};

/** The plug is the client. */
export const TASMOTA_PLUG: StationPlan = {
  clientId: 'simulator-tasmota-A10C04',
  will: kept(`tele/${TOPIC}/LWT`, 'Offline'),
  birth: kept(`tele/${TOPIC}/LWT`, 'Online'),
  dialects: [PLUG],
  isDevice: true,
};

function told({ power }: State, occasion: Occasion): readonly Message[] {
  if (occasion === 'repeat') return [news(`tele/${TOPIC}/STATE`, { POWER: power, Wifi: { RSSI: 78, Signal: -61 } })];
  return [result({ POWER: power }), news(`stat/${TOPIC}/POWER`, power)];
}

function result(body: unknown): Message {
  return news(`stat/${TOPIC}/RESULT`, body);
}

function understand(topic: string, payload: string, { power }: State): Meaning | null {
  const [, what] = new RegExp(`^cmnd/${TOPIC}/(\\w+)$`).exec(topic) ?? [];
  if (what === undefined) return null;
  if (!/^power1?$/i.test(what)) return { type: 'unknown', what, detail: 'no such command' };
  const word = payload.trim().toUpperCase();
  if (word === '' || word === '?') return { type: 'query', what, fields: ['power'] };
  if (word === 'TOGGLE' || word === '2')
    return { type: 'command', what, body: { power: power === 'ON' ? 'OFF' : 'ON' } };
  return { type: 'command', what, body: { power: WORDS[word] ?? word } };
}

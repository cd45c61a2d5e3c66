import { copyOf, suffix } from '../core/copies.ts';
import { type DeviceModel, type State, wordField } from '../core/model.ts';
import type { Dialect, Meaning, Occasion } from './dialect.ts';
import { discovery, kept, type Message, news } from './message.ts';
import type { StationPlan } from './station.ts';

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
function plug(number: number): Dialect {
  const { topic, mac } = namesOf(number);
  const model = copyOf(MODEL, number);
  return {
    model,
    filters: [`cmnd/${topic}/+`],
    announcement: [
      discovery('switch', `${mac}_RL_1`, {
        name: model.name,
        obj_id: topic,
        cmd_t: `cmnd/${topic}/POWER`,
        stat_t: `stat/${topic}/RESULT`,
        val_tpl: '{{value_json.POWER}}',
        pl_off: 'OFF',
        pl_on: 'ON',
        avty_t: `tele/${topic}/LWT`,
        pl_avail: 'Online',
        pl_not_avail: 'Offline',
        uniq_id: `${mac}_RL_1`,
        dev: { ids: [mac], name: model.name, mdl: 'Plug', sw: '15.1.0(tasmota)', mf: 'Tasmota' },
      }),
    ],
    firstStateAfterMs: 2_500,
    repeatEveryMs: 300_000,
    echoes: [{ afterMs: 0, shows: 'wanted' }],
    answersAfterMs: 0,
    caches: false,
    availability: () => [],
    state: (state, occasion) => told(topic, state, occasion),
    understand: (heard, payload, shown) => understand(topic, heard, payload, shown),
    refuse: ({ type }) => [result(topic, { Command: type === 'unknown' ? 'Unknown' : 'Error' })],
  };
}

/** The plug is the client. */
export function tasmotaPlug(number: number): StationPlan {
  const { topic, mac } = namesOf(number);
  return {
    clientId: `simulator-tasmota-${mac}`,
    will: kept(`tele/${topic}/LWT`, 'Offline'),
    birth: kept(`tele/${topic}/LWT`, 'Online'),
    dialects: [plug(number)],
    isDevice: true,
  };
}

function namesOf(number: number) {
  return {
    topic: `washer_plug${suffix(number)}`,
    mac: `A10C${(3 + number).toString(16).padStart(2, '0').toUpperCase()}`,
  };
}

function told(topic: string, { power }: State, occasion: Occasion): readonly Message[] {
  if (occasion === 'repeat') return [news(`tele/${topic}/STATE`, { POWER: power, Wifi: { RSSI: 78, Signal: -61 } })];
  return [result(topic, { POWER: power }), news(`stat/${topic}/POWER`, power)];
}

function result(topic: string, body: unknown): Message {
  return news(`stat/${topic}/RESULT`, body);
}

function understand(topic: string, heard: string, payload: string, { power }: State): Meaning | null {
  const [, what] = new RegExp(`^cmnd/${topic}/(\\w+)$`).exec(heard) ?? [];
  if (what === undefined) return null;
  if (!/^power1?$/i.test(what)) return { type: 'unknown', what, detail: 'no such command' };
  const word = payload.trim().toUpperCase();
  if (word === '' || word === '?') return { type: 'query', what, fields: ['power'] };
  if (word === 'TOGGLE' || word === '2')
    return { type: 'command', what, body: { power: power === 'ON' ? 'OFF' : 'ON' } };
  return { type: 'command', what, body: { power: WORDS[word] ?? word } };
}

import { topic as topicSchema } from '../../config/home-assistant/entity-parts.ts';
import { parseDevice } from '../../config/load.ts';
import { type Plain, plain } from '../../config/plain.ts';
import { messageOf } from '../../domain/errors.ts';
import { type Announcement, type DiscoveryNews, fingerprintOf } from './announcement.ts';
import { label } from './bounds.ts';

/** Where Tasmota announces itself, whatever Home Assistant's prefix is. */
export const TASMOTA_FILTER = 'tasmota/discovery/+/config';

/** Tasmota's number for an output that is a plain relay. */
const RELAY = 1;

/** Relays that the firmware knows. */
const MAX_RELAYS = 32;

/** Longest of the words by which a relay or a node says how it is. */
const MAX_WORD = 128;

/** Reads Tasmota's own discovery message: its relays are switches, and an infrared bridge is heard only. */
export function readTasmota(text: string): DiscoveryNews {
  if (text === '') return { type: 'gone' };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { type: 'broken', detail: `no JSON: ${messageOf(error)}` };
  }
  const node = nodeOf(plain(json));
  if (!node) return { type: 'broken', detail: 'it lacks t, ft, tp or mac, or they make no topics' };
  const relays = node.outputs.flatMap((output, index) => (output === RELAY ? [index] : []));
  const announcements = relays.map((index) => relay(node, index, relays.length));
  if (relays.length === 0 && node.infrared) announcements.push(infrared(node));
  return { type: 'announced', announcements, withdrawn: [] };
}

interface Node {
  readonly mac: string;
  readonly name: string;
  readonly names: readonly unknown[];
  readonly outputs: readonly unknown[];
  readonly infrared: boolean;
  readonly words: { readonly off: string; readonly on: string };
  readonly availability: Plain;
  topic(prefix: 'command' | 'state' | 'telemetry', name: string): string;
}

function nodeOf(message: Plain): Node | undefined {
  const { t, ft, tp, mac, dn, fn, rl, state, onln, ofln, md } = message;
  const [command, stat, telemetry] = Array.isArray(tp) ? tp : [];
  if (typeof t !== 'string' || typeof ft !== 'string' || typeof mac !== 'string') return undefined;
  const prefixes = { command: String(command), state: String(stat), telemetry: String(telemetry) };
  const topic: Node['topic'] = (prefix, name) =>
    ft.replace('%prefix%', prefixes[prefix]).replace('%topic%', t).replace(/\/?$/, '/') + name;
  const topics = [topic('command', 'POWER'), topic('state', 'RESULT'), topic('telemetry', 'LWT')];
  if (!topics.every((each) => topicSchema.safeParse(each).success)) return undefined;
  const [off, on] = Array.isArray(state) ? state : [];
  const word = (written: unknown, usual: string) => String(written ?? usual).slice(0, MAX_WORD);
  return {
    mac,
    name: label(typeof dn === 'string' && dn !== '' ? dn : t),
    names: Array.isArray(fn) ? fn : [],
    outputs: Array.isArray(rl) ? rl.slice(0, MAX_RELAYS) : [],
    infrared: /\bIR\b/i.test(String(md)),
    words: { off: word(off, 'OFF'), on: word(on, 'ON') },
    availability: {
      topic: topic('telemetry', 'LWT'),
      payload_available: word(onln, 'Online'),
      payload_not_available: word(ofln, 'Offline'),
    },
    topic,
  };
}

function relay(node: Node, index: number, count: number): Announcement {
  const power = count === 1 ? 'POWER' : `POWER${index + 1}`;
  const own = node.names[index];
  const { words } = node;
  return announce(node, `relay${index + 1}`, {
    kind: 'switch',
    name: typeof own === 'string' && own !== '' ? label(own) : node.name,
    fields: {
      power: {
        write: { topic: node.topic('command', power) },
        read: { topic: node.topic('state', power) },
        // An empty command asks, and the answer is the relay's own state.
        read_now: { topic: node.topic('command', power), payload: '' },
        map: { [words.on]: 'on', [words.off]: 'off' },
      },
    },
    verify: { echo: '0s', settle: '1s' },
  });
}

/**
 * An infrared bridge describes the frames that it sends, which proves nothing, and those of the hand remote, which show
 * what the air conditioner was told. To command it the maker of the air conditioner has to be known, and is not.
 */
function infrared(node: Node): Announcement {
  const sent = node.topic('state', 'RESULT');
  const seen = node.topic('telemetry', 'RESULT');
  const field = (key: string, rest: Plain = {}) => ({
    read: { topic: seen, path: `IrReceived.IRHVAC.${key}` },
    ack: { topic: sent, path: `IRHVAC.${key}` },
    ...rest,
  });
  return announce(node, 'irhvac', {
    kind: 'climate',
    name: node.name,
    fields: {
      power: field('Power'),
      hvac_mode: field('Mode', { alias: { fan: 'fan_only' } }),
      target_temperature: field('Temp', { unit: 'C' }),
      fan_mode: field('FanSpeed'),
      swing_mode: field('SwingV'),
      swing_horizontal_mode: field('SwingH'),
    },
    caveats: [
      'an infrared bridge can only be read: its announcement does not say which maker the air conditioner is of',
      'it shows what the hand remote sends, and never what the air conditioner does',
    ],
  });
}

function announce(node: Node, component: string, body: Plain): Announcement {
  const name = component === 'relay1' || component === 'irhvac' ? node.name : `${node.name} ${component}`;
  return {
    key: `tasmota ${node.mac} ${component}`,
    component,
    owner: `tasmota ${node.mac}`,
    about: { objectId: node.mac, origin: 'Tasmota', identifiers: [node.mac] },
    names: [name, `tasmota_${node.mac}_${component}`],
    fingerprint: fingerprintOf(body),
    build(id) {
      try {
        return { ok: true, config: parseDevice({ availability: node.availability, ...body }, id) };
      } catch (error) {
        return { ok: false, reason: messageOf(error) };
      }
    },
  };
}

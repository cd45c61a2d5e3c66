import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../gateway/config/load.ts';
import { ConfigError } from '../../gateway/config/problems.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readback-config-mqtt-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(yaml: string) {
  const file = join(folder, 'home.yaml');
  await writeFile(file, yaml);
  return loadConfig(file, {});
}

/** What is wrong with `mqtt:`, each as `line path: message`, under an otherwise empty home. */
async function mistakes(yaml: string): Promise<string[]> {
  const error = await load(yaml).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('expected the file to be refused', { cause: error });
  return error.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

const HTTP_LAMP = `devices:
  lamp:
    kind: light
    http: { base: http://192.0.2.1 }
    requests: { status: { get: /state } }
    fields: { power: { read: { request: status, path: on } } }
`;
const DEFAULTS = {
  discovery: true,
  discovery_prefix: 'homeassistant',
  status_topic: 'readback/status',
  broker: null,
  embedded: { host: '127.0.0.1', port: 1883 },
};

describe('mqtt', () => {
  it('is not there where nothing needs it', async () => {
    expect((await load(HTTP_LAMP)).mqtt).toBeNull();
  });

  it.each([
    ['a device in Home Assistant’s keys', '    mqtt_light: { command_topic: lamp/set }'],
    ['a topic that is read', '    fields: { power: { read: { topic: lamp } } }'],
    ['a topic that is written', '    fields: { power: { write: { topic: lamp/set } } }'],
  ])('is the embedded broker on this machine for %s', async (_name, line) => {
    expect((await load(`devices:\n  lamp:\n    kind: light\n${line}\n`)).mqtt).toEqual(DEFAULTS);
  });

  it.each(['    availability: { topic: lamp/LWT }', '    errors: { topic: log, match: "{{ true }}" }'])(
    'is wanted by a device over HTTP with %s',
    async (line) => {
      expect((await load(`${HTTP_LAMP}${line}\n`)).mqtt).toEqual(DEFAULTS);
    },
  );

  it('makes a home without devices complete: they announce themselves', async () => {
    expect(await load('mqtt: {}')).toMatchObject({ devices: {}, mqtt: DEFAULTS });
    expect(await mistakes('mqtt: { discovery: false }')).toEqual([
      '1 devices: needs at least one device, or mqtt for devices that announce themselves',
    ]);
  });

  it.each([
    ['broker: 192.0.2.5', { host: '192.0.2.5', port: 1883, tls: null }],
    ['broker: broker.lan, port: 1884', { host: 'broker.lan', port: 1884, tls: null }],
    ['broker: "broker.lan:1884"', { host: 'broker.lan', port: 1884, tls: null }],
    ['broker: mqtt://192.0.2.5', { host: '192.0.2.5', port: 1883, tls: null }],
    ['broker: "mqtt://[fd00::5]:1884/"', { host: 'fd00::5', port: 1884, tls: null }],
    ['broker: mqtts://broker.lan', { host: 'broker.lan', port: 8883, tls: {} }],
    ['broker: mqtts://broker.lan, port: 8884', { host: 'broker.lan', port: 8884, tls: {} }],
    ['broker: b, username: u, password: p', { host: 'b', port: 1883, tls: null, username: 'u', password: 'p' }],
    ['broker: b, username: u, client_id: hall', { host: 'b', port: 1883, tls: null, username: 'u', client_id: 'hall' }],
  ])('takes { %s }', async (written, broker) => {
    expect((await load(`mqtt: { ${written} }`)).mqtt).toEqual({ ...DEFAULTS, broker, embedded: null });
  });

  it('speaks TLS where there are certificates, which lie beside the configuration', async () => {
    const home = await load('mqtt: { broker: broker.lan, ca: ca.pem, cert: tls/cert.pem, key: /etc/key.pem }');
    expect(home.mqtt?.broker).toEqual({
      host: 'broker.lan',
      port: 8883,
      tls: { ca: join(folder, 'ca.pem'), cert: join(folder, 'tls/cert.pem'), key: '/etc/key.pem' },
    });
  });

  it('serves the network from its own broker only with a password', async () => {
    const home = await load('mqtt: { embedded: { host: 0.0.0.0, username: home, password: secret } }');
    expect(home.mqtt?.embedded).toEqual({ host: '0.0.0.0', port: 1883, username: 'home', password: 'secret' });
    for (const host of ['0.0.0.0', '"::"', '192.0.2.1', 'pi.lan', '127.0.0.1.example']) {
      expect(await mistakes(`mqtt:\n  embedded:\n    host: ${host}\n`)).toEqual([
        '3 mqtt.embedded.host: lets others in from the network: needs username and password beside it',
      ]);
    }
    for (const host of ['127.0.0.1', '127.1.2.3', '"::1"', 'localhost']) {
      expect((await load(`mqtt: { embedded: { host: ${host} } }`)).mqtt?.embedded).toMatchObject({ port: 1883 });
    }
  });

  const BROKER =
    'must be the name or address of the broker, such as 192.0.2.5 or mqtt://192.0.2.5:1883; mqtts:// for TLS';

  it.each([
    ['broker: http://192.0.2.5', `3 mqtt.broker: ${BROKER}`],
    ['broker: mqtt://192.0.2.5/home', `3 mqtt.broker: ${BROKER}`],
    ['broker: "mqtt://"', `3 mqtt.broker: ${BROKER}`],
    ['broker: "two words"', `3 mqtt.broker: ${BROKER}`],
    ['broker: mqtt://me:secret@192.0.2.5', '3 mqtt.broker: write username and password as keys of their own'],
    ['broker: "b:1883"\n  port: 1884', '4 mqtt.port: the port is in broker already'],
    ['broker: b\n  password: p', '4 mqtt.password: needs username beside it'],
    ['broker: b\n  cert: c.pem', '4 mqtt.cert: needs key beside it'],
    ['broker: b\n  key: k.pem', '4 mqtt.key: needs cert beside it'],
    ['broker: b\n  embedded: {}', '4 mqtt.embedded: is not needed beside broker: leave out one of the two'],
    [
      'username: u',
      '3 mqtt.username: needs broker beside it; what concerns the embedded broker belongs under embedded',
    ],
    ['embedded: { username: u }', '3 mqtt.embedded.username: needs password beside it'],
    ['embedded: { password: p }', '3 mqtt.embedded.password: needs username beside it'],
    [
      'status_topic: homeassistant/status',
      '3 mqtt.status_topic: lies under homeassistant, which belongs to Home Assistant',
    ],
    ['status_topic: a/#', '3 mqtt.status_topic: a topic holds no + and no #, and does not begin with $'],
    ['discovery_prefix: ""', '3 mqtt.discovery_prefix: must not be empty'],
    [
      'brokr: b',
      '3 mqtt: unknown key "brokr"; did you mean "broker"? allowed keys are: broker, port, username, password, client_id, ca, cert, key, discovery, discovery_prefix, status_topic, embedded',
    ],
  ])('refuses %j', async (written, message) => {
    expect(await mistakes(`# a home\nmqtt:\n  ${written}\n`)).toContain(message);
  });

  it('does not show a password that came from the file of secrets', async () => {
    await writeFile(join(folder, 'secrets.yaml'), 'broker: "mqtt://me:hunter22@192.0.2.5/x"\n');
    expect((await mistakes('mqtt: { broker: !secret broker }')).join()).not.toContain('hunter22');
  });
});

describe('discovery', () => {
  const discovery = async (text: string) => (await load(`mqtt: { discovery: ${text} }\n`)).mqtt?.discovery;

  it('takes rules, each of any of its keys', async () => {
    const rules = [
      { topic: 'homeassistant/+/porch/#', object_id: 'lamp_*' },
      { origin: 'Zigbee2MQTT', command_topic: 'zigbee2mqtt/#', device: '0x00*' },
    ];
    expect(await discovery(JSON.stringify({ allow: rules }))).toEqual({ allow: rules });
    expect(await discovery('true')).toBe(true);
  });

  it.each([
    ['yes please', /expected true, false, or \{allow: \[rules\]\}/],
    ['{ allow: [] }', /needs at least one rule; false takes in none/],
    ['{ allow: [{}] }', /needs at least one of its keys/],
    ['{ allow: [{ orgin: x }] }', /unknown key "orgin"; did you mean "origin"/],
    ['{ allow: [{ topic: "a#" }] }', /a topic filter has \+ and # alone between slashes/],
    ['{ allow: [{ command_topic: "$SYS/#" }] }', /a topic filter has/],
    ['{ allowed: [{ origin: x }] }', /unknown key "allowed"; did you mean "allow"/],
  ])('refuses %s', async (text, expected) => {
    expect((await mistakes(`mqtt: { discovery: ${text} }\n`)).join('\n')).toMatch(expected);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { type MqttConfig, mqttSchema } from '../../gateway/config/schema-mqtt.ts';
import { startMqtt } from '../../gateway/mqtt.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../gateway/transports/embedded-broker.ts';
import { embeddedBroker, freePort, type Login } from '../support/brokers.ts';
import { quietLog, RecordingLog } from '../support/logs.ts';
import { MqttPeer } from '../support/mqtt-peer.ts';

const LOGIN: Login = { username: 'home', password: 'a secret' };
const undo: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function start(login?: Login): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker({ host: '127.0.0.1', port: 0, log: quietLog, ...(login ? { login } : {}) });
  undo.push(() => broker.close());
  return broker;
}

async function peer(port: number, login?: Login): Promise<MqttPeer> {
  const made = await MqttPeer.connect(port, login, { reconnectPeriod: 0 });
  undo.push(() => made.end());
  return made;
}

describe('the embedded broker', () => {
  it('loses no message where kept ones, acknowledged ones and plain ones come in one go', async () => {
    const { port } = await start();
    const hearer = await peer(port);
    await hearer.hear('#');
    const speaker = await peer(port);
    const turns = Array.from({ length: 100 }, (_, turn) => turn);
    await speaker.burst(
      turns.flatMap((turn) => [
        ['kept', `${turn}`, { retain: true }] as const,
        ['plain', `${turn}`] as const,
        ['acknowledged', `${turn}`, { qos: 1 }] as const,
        ['plain too', `${turn}`] as const,
      ]),
    );
    await hearer.inbox.until(() => hearer.inbox.heard.length === 400);
    for (const topic of ['kept', 'plain', 'acknowledged', 'plain too']) {
      expect(hearer.inbox.texts(topic)).toEqual(turns.map(String));
    }
  });

  it('sends a message once to a client whose filters overlap', async () => {
    const { port } = await start();
    const hearer = await peer(port);
    await hearer.hear('home/#', 'home/+/state', 'home/ac/state');
    const speaker = await peer(port);
    for (const qos of [0, 1] as const) await speaker.say('home/ac/state', `qos ${qos}`, { qos });
    await speaker.say('home/end', 'end');
    await hearer.inbox.text('end');
    expect(hearer.inbox.texts()).toEqual(['qos 0', 'qos 1', 'end']);
  });

  it('keeps what is retained while it runs', async () => {
    const { port } = await start();
    await (await peer(port)).say('ac/state', 'cool', { retain: true });
    const late = await peer(port);
    await late.hear('ac/+');
    await late.inbox.text('cool');
    expect(late.inbox.heard[0]?.retained).toBe(true);
  });

  it.each([
    ['no login', undefined],
    ['a wrong password', { ...LOGIN, password: 'guess' }],
    ['a wrong name', { ...LOGIN, username: 'guess' }],
    ['an empty password', { ...LOGIN, password: '' }],
  ])('lets nobody in with %s', async (_name, login) => {
    const { port } = await start(LOGIN);
    await expect(MqttPeer.connect(port, login, { reconnectPeriod: 0 })).rejects.toThrow(/refused/i);
    await expect(peer(port, LOGIN)).resolves.toBeDefined();
  });

  it('takes no harm from strangers', async () => {
    const { port } = await start();
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\x10\xff\xff\xff\xff', '\x30\x05\x00\x01a', '']) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.end(bytes, 'latin1');
      await new Promise((resolve) => socket.on('close', resolve));
    }
    // A CONNECT of 256 MB: it is cut off long before it is complete.
    const flood = connect(port, '127.0.0.1');
    flood.on('error', () => {});
    flood.write(Buffer.concat([Buffer.from('10ffffff7f', 'hex'), Buffer.alloc(1024 * 1024)]));
    await new Promise((resolve) => flood.on('close', resolve));
    const speaker = await peer(port);
    await speaker.say('a', 'still here');
  });

  it('says what to do where its port is taken', async () => {
    const { port } = await start();
    const second = startEmbeddedBroker({ host: '127.0.0.1', port, log: quietLog });
    await expect(second).rejects.toMatchObject({
      name: 'StartError',
      message: `the embedded broker cannot listen on 127.0.0.1:${port}: port ${port} is taken, perhaps by a broker such as mosquitto: point mqtt.broker at it (broker: mqtt://127.0.0.1:${port}), or choose another mqtt.embedded.port`,
    });
  });

  it('says what to do where its address is not one of this machine', async () => {
    await expect(startEmbeddedBroker({ host: '192.0.2.1', port: 0, log: quietLog })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('check mqtt.embedded.host and mqtt.embedded.port'),
    });
  });

  it('ends though clients are still there', async () => {
    const broker = await startEmbeddedBroker({ host: '127.0.0.1', port: 0, log: quietLog });
    await peer(broker.port);
    const silent = connect(broker.port, '127.0.0.1');
    silent.on('error', () => {});
    await new Promise((resolve) => silent.once('connect', resolve));
    await broker.close();
    silent.destroy();
    await startEmbeddedBroker({ host: '127.0.0.1', port: broker.port, log: quietLog }).then((again) => again.close());
  });
});

describe('the MQTT of a home', () => {
  async function run(written: object, log = new RecordingLog()) {
    const config: MqttConfig = mqttSchema.parse(written);
    const mqtt = await startMqtt(config, { clock: systemClock(), log });
    undo.push(() => mqtt.stop());
    return { mqtt, log };
  }

  it('is the embedded broker with the gateway as its first client', async () => {
    const { mqtt } = await run({ embedded: { port: 0, ...LOGIN } });
    expect(mqtt.link.connected).toBe(true);
    const port = Number(new URL(mqtt.brokerUrl).port);
    const other = await peer(port, LOGIN);
    await other.hear('readback/status');
    await other.inbox.text('online');
  });

  it('listens everywhere where that is asked for, and reaches itself', async () => {
    const { mqtt } = await run({ embedded: { host: '0.0.0.0', port: 0, ...LOGIN } });
    expect(mqtt.brokerUrl).toMatch(/^mqtt:\/\/127\.0\.0\.1:\d+$/);
    expect(mqtt.link.connected).toBe(true);
  });

  it('is an external broker with its login, status topic and client id', async () => {
    const broker = await embeddedBroker(LOGIN);
    undo.push(() => broker.cleanUp());
    await broker.start();
    const { mqtt } = await run({
      broker: `mqtt://127.0.0.1:${broker.port}`,
      ...LOGIN,
      client_id: 'hall',
      status_topic: 'pi/readback',
    });
    expect(mqtt.link.connected).toBe(true);
    const other = await peer(broker.port, LOGIN);
    await other.hear('pi/readback');
    await other.inbox.text('online');
    const lost = new Promise<void>((resolve) => mqtt.link.onConnection(() => resolve()));
    await MqttPeer.connect(broker.port, LOGIN, { clientId: 'hall', reconnectPeriod: 0 }).then((twin) =>
      undo.push(() => twin.end()),
    );
    await lost;
  });

  it('starts though the broker is not there yet', async () => {
    const { mqtt, log } = await run({ broker: '127.0.0.1', port: await freePort() });
    expect(mqtt.link.connected).toBe(false);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  });

  it('names the certificate that cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'readback-mqtt-'));
    undo.push(() => rm(folder, { recursive: true }));
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, '');
    const missing = { broker: 'broker.lan', ca, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    await expect(run(missing)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^mqtt\.cert cannot be read: ENOENT/),
    });
  });
});

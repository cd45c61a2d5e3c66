import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import { createMqttLink, type MqttLinkOptions } from '../../gateway/transports/mqtt-broker-link.ts';
import type { MqttLink } from '../../gateway/transports/mqtt-link.ts';
import { embeddedBroker, freePort, mosquitto, mosquittoPath, type TestBroker } from '../support/brokers.ts';
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { RecordingLog } from '../support/logs.ts';
import { Inbox, MqttPeer } from '../support/mqtt-peer.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function link(port: number, options: Partial<MqttLinkOptions> = {}): { made: MqttLink; log: RecordingLog } {
  const log = new RecordingLog();
  const made = createMqttLink({
    address: { host: '127.0.0.1', port },
    statusTopic: 'readback/status',
    clock: systemClock(),
    log,
    ...options,
    timing: { firstPauseMs: 20, longestPauseMs: 100, ackTimeoutMs: 1_000, connectTimeoutMs: 2_000, ...options.timing },
  });
  undo.push(() => made.stop());
  return { made, log };
}

/** A server that does as the test says with every connection. */
async function server(onConnection: (socket: Socket) => void): Promise<number> {
  const made = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  return listen(made);
}

async function listen(made: Server): Promise<number> {
  const sockets = new Set<Socket>();
  for (const event of ['connection', 'secureConnection']) made.on(event, (socket: Socket) => sockets.add(socket));
  const port = await freePort();
  await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => made.close(resolve));
  });
  return port;
}

async function running(broker: TestBroker): Promise<TestBroker> {
  undo.push(() => broker.cleanUp());
  await broker.start();
  return broker;
}

/** What follows a byte of packet type and one of length in a CONNECT: the name and the version of the protocol. */
const versionOf = (connect: Buffer) => connect[8];

describe('a broker that is none', () => {
  it('is told from one that answers nothing', async () => {
    const port = await server(() => {});
    const { made, log } = link(port, { timing: { connectTimeoutMs: 80 } });
    await made.start();
    expect(made.connected).toBe(false);
    expect(log.lines[0]).toMatchObject({ level: 'warn', details: { trouble: 'no answer within 80 ms' } });
  });

  it('is tried again when nobody listens, with one line in the log', async () => {
    const broker = await embeddedBroker();
    undo.push(() => broker.cleanUp());
    const { made, log } = link(broker.port);
    await made.start();
    expect(made.connected).toBe(false);
    const connected = new Promise<void>((resolve) => made.onConnection(() => resolve()));
    await broker.start();
    await connected;
    expect(log.lines.map(({ level, details }) => ({ level, ...details }))).toEqual([
      {
        level: 'warn',
        broker: `mqtt://127.0.0.1:${broker.port}`,
        trouble: expect.stringContaining('ECONNREFUSED'),
        advice: 'check mqtt.broker, and whether the broker runs',
      },
      { level: 'info', broker: `mqtt://127.0.0.1:${broker.port}`, protocol: 'MQTT 3.1.1' },
    ]);
  });

  it('is left when it talks something else', async () => {
    const port = await server((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { made, log } = link(port);
    await made.start();
    expect(made.connected).toBe(false);
    expect(log.lines[0]?.level).toBe('warn');
    await made.stop();
  });
});

describe('the version of the protocol', () => {
  it('is 5 first, and 3.1.1 with a broker that hangs up on it', async () => {
    const broker = await Aedes.createBroker();
    undo.push(() => new Promise<void>((resolve) => broker.close(resolve)));
    const versions: (number | undefined)[] = [];
    const port = await server((socket) => {
      socket.once('data', (connect) => {
        versions.push(versionOf(connect));
        socket.pause();
        if (versionOf(connect) === 5) {
          socket.destroy();
          return;
        }
        socket.unshift(connect);
        broker.handle(socket);
      });
    });
    const { made, log } = link(port);
    await made.start();
    expect(made.connected).toBe(true);
    expect(versions).toEqual([5, 4]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(await made.publish('cmd/ac', 'cool', 1, () => {})).toEqual({ type: 'acknowledged' });
  });

  it('is 5 where the broker knows it', async ({ skip }) => {
    skip(mosquittoPath === undefined, 'mosquitto is not installed here');
    const broker = await running(await mosquitto());
    const { made, log } = link(broker.port);
    await made.start();
    expect(log.lines[0]?.details).toMatchObject({ protocol: 'MQTT 5' });
  });
});

describe('a connection that died without a word', () => {
  it('is noticed by its keepalive', async () => {
    const broker = await running(await embeddedBroker());
    const proxy = await new TcpProxy(broker.port).start();
    undo.push(() => proxy.stop());
    const { made, log } = link(proxy.port, { timing: { keepaliveMs: 1_000, ackTimeoutMs: 10_000 } });
    await made.start();
    const back = new Promise<void>((resolve) => made.onConnection((connected) => connected && resolve()));
    proxy.hold('down');
    await log.line(({ level }) => level === 'warn');
    expect(log.lines.at(-1)?.details).toMatchObject({ trouble: 'Keepalive timeout' });
    proxy.release();
    await back;
  });

  it('delivers nothing any more of what it had not sent when it was given up', async () => {
    const broker = await running(await embeddedBroker());
    const sockets: Socket[] = [];
    const upstream: Socket[] = [];
    // Stops to read once it is told to, so that everything after that stays with the sender.
    const port = await server((socket) => {
      sockets.push(socket);
      const door = connect(broker.port, '127.0.0.1');
      upstream.push(door);
      door.on('data', (bytes) => socket.write(bytes));
      socket.on('data', (bytes) => door.write(bytes));
    });
    undo.push(() => {
      for (const each of upstream) each.destroy();
    });
    const peer = await MqttPeer.connect(broker.port);
    undo.push(() => peer.end());
    await peer.hear('cmd/#');
    const { made } = link(port, { timing: { ackTimeoutMs: 200 } });
    await made.start();
    const back = new Promise<void>((resolve) => made.onConnection((connected) => connected && resolve()));
    const stuck = sockets.at(-1);
    stuck?.pause();
    // More than the other side's system takes in, and less than ours does.
    const large = 'x'.repeat(50 * 1024);
    const waiting = Array.from({ length: 10 }, () => made.publish('cmd/large', large, 1, () => {}));
    const last = made.publish('cmd/ac', 'cool', 1, () => {});
    expect(await last).toMatchObject({ type: 'lost' });
    await Promise.all(waiting);
    const gone = stuck && once(stuck, 'close');
    stuck?.resume();
    await Promise.all([back, gone]);
    expect(await made.publish('cmd/end', 'end', 1, () => {})).toEqual({ type: 'acknowledged' });
    await peer.inbox.text('end');
    expect(peer.inbox.texts('cmd/ac')).toEqual([]);
  });
});

describe.skipIf(!hasOpenssl)('TLS', () => {
  let certificates: Certificates;
  beforeAll(() => {
    certificates = makeCertificates();
  });
  afterAll(() => certificates.remove());

  const pem = (file: string) => readFileSync(file, 'utf8');

  /** aedes behind TLS. With `clients`, whoever connects needs a certificate of that authority. */
  async function secureBroker(clients = false): Promise<number> {
    const broker = await Aedes.createBroker();
    undo.push(() => new Promise<void>((resolve) => broker.close(resolve)));
    const options = { key: pem(certificates.key), cert: pem(certificates.cert), ca: pem(certificates.ca) };
    return listen(
      createTlsServer({ ...options, requestCert: clients, rejectUnauthorized: clients }, (socket) => {
        socket.on('error', () => {});
        broker.handle(socket);
      }),
    );
  }

  it.each(['127.0.0.1', 'localhost'])('trusts a broker at %s by an authority of one’s own', async (host) => {
    const port = await secureBroker();
    const { made } = link(port, { address: { host, port, tls: { ca: pem(certificates.ca) } } });
    await made.start();
    expect(made.connected).toBe(true);
    expect(await made.publish('cmd/ac', 'cool', 1, () => {})).toEqual({ type: 'acknowledged' });
  });

  it('does not trust a broker that it cannot check', async () => {
    const port = await secureBroker();
    const { made, log } = link(port, { address: { host: '127.0.0.1', port, tls: {} } });
    await made.start();
    expect(made.connected).toBe(false);
    expect(log.lines[0]?.details).toMatchObject({
      trouble: expect.stringMatching(/certificate/),
      advice: 'check mqtt.broker and mqtt.ca',
    });
  });

  it('shows a certificate of its own where it has one', async () => {
    const port = await secureBroker(true);
    const tls = { ca: pem(certificates.ca), cert: pem(certificates.cert), key: pem(certificates.key) };
    const { made } = link(port, { address: { host: '127.0.0.1', port, tls } });
    await made.start();
    expect(made.connected).toBe(true);
    const stranger = link(port, { address: { host: '127.0.0.1', port, tls: { ca: tls.ca } } });
    await stranger.made.start();
    expect(stranger.made.connected).toBe(false);
  });

  it('reaches mosquitto, and says why where the other side speaks none', async ({ skip }) => {
    skip(mosquittoPath === undefined, 'mosquitto is not installed here');
    const broker = await running(await mosquitto({ username: 'gateway', password: 'secret' }, certificates));
    const tls = { ca: pem(certificates.ca) };
    const address = { host: '127.0.0.1', port: broker.port, tls };
    const { made, log } = link(broker.port, { address, username: 'gateway', password: 'secret' });
    await made.start();
    expect(made.connected).toBe(true);
    expect(log.lines[0]?.details).toMatchObject({ protocol: 'MQTT 5' });
    const inbox = new Inbox();
    made.subscribe('ac/state', inbox.listener);
    await made.subscribed();
    const plain = await running(await embeddedBroker());
    const wrong = link(plain.port, { address: { ...address, port: plain.port }, timing: { connectTimeoutMs: 500 } });
    await wrong.made.start();
    expect(wrong.made.connected).toBe(false);
    expect(wrong.log.lines[0]?.level).toBe('warn');
  });
});

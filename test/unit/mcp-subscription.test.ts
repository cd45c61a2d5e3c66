import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Subscription } from '../../gateway/mcp/subscription.ts';
import { EventStream } from '../../gateway/streams/event-stream.ts';

/** More than the socket and both kernels take for a reader that does not read. */
const FLOOD = 1_000;
const LONG = 'x'.repeat(20_000);

let server: Server;
let socket: Socket;
let res: ServerResponse;
let subscription: Subscription;
let closed: Promise<void>;
let errors: Error[];

/** A subscription on a real connection whose client has not read a byte yet. */
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  res = (await asked)[1];
  errors = [];
  subscription = new Subscription(7, new EventStream(res), (error) => errors.push(error));
  closed = new Promise((resolve) => subscription.open({ taskIds: ['a'] }, resolve));
});

afterEach(async () => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const tell = (topic: string, text: string) =>
  subscription.tell(topic, () => ({ method: 'notifications/test', params: { text } }));

/** Everything that comes until all of these texts are in it. */
async function readUntil(...ends: string[]): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.resume();
  while (!ends.every((end) => received.includes(end))) await once(socket, 'data');
  return received;
}

describe('a subscription', () => {
  it('tells what happens in order, and at once', async () => {
    for (let index = 0; index < 5; index += 1) tell('a', `news ${index}`);
    const received = await readUntil('news 4');
    expect([...received.matchAll(/news (\d)/g)].map(([, index]) => index)).toEqual(['0', '1', '2', '3', '4']);
    expect(received.indexOf('subscriptions/acknowledged')).toBeLessThan(received.indexOf('news 0'));
  });

  it('keeps one message for each topic while nobody reads, and tells the newest of each when somebody does', async () => {
    for (let index = 0; index < FLOOD; index += 1) tell(`topic ${index % 2}`, `${LONG} news ${index}.`);
    // What Node and the kernel took before they were full; after that the newest took the place of the one before.
    expect(res.writableLength).toBeLessThan(1_000_000);
    const received = await readUntil(`news ${FLOOD - 1}.`, `news ${FLOOD - 2}.`);
    expect([...received.matchAll(/news \d+\./g)].length).toBeLessThan(FLOOD);
  });

  it('lets what comes later wait behind what is looked up', async () => {
    subscription.tell('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { method: 'notifications/test', params: { text: 'looked up' } };
    });
    tell('quick', 'known');
    const received = await readUntil('known');
    expect(received.indexOf('looked up')).toBeLessThan(received.indexOf('known'));
  });

  it('drops a reader that takes nothing between two beats', async () => {
    for (let index = 0; index < FLOOD; index += 1) tell(`topic ${index}`, LONG);
    subscription.beat();
    expect(res.destroyed).toBe(false);
    subscription.beat();
    await closed;
    expect(res.destroyed).toBe(true);
  });

  it('keeps a slow reader that takes something in between', async () => {
    for (let index = 0; index < FLOOD; index += 1) tell(`topic ${index}`, LONG);
    subscription.beat();
    const drained = once(res, 'drain');
    socket.resume();
    await drained;
    socket.pause();
    subscription.beat();
    expect(res.destroyed).toBe(false);
  });

  it('gives a sign of life', async () => {
    subscription.beat();
    expect(await readUntil('keepalive')).toContain('\n: keepalive\n\n');
  });

  it('breaks off where something cannot be looked up: its client starts afresh', async () => {
    subscription.tell('a', () => Promise.reject(new Error('the store is gone')));
    await closed;
    expect(errors).toEqual([new Error('the store is gone')]);
  });

  it('ends with its result', async () => {
    subscription.end({ name: 'readback', version: '1' });
    const received = await readUntil('"result"');
    expect(received).toContain('"id":7');
    await closed;
  });
});

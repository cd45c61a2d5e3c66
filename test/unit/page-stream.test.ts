import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PageStream } from '../../gateway/dashboard/page-stream.ts';
import { EventStream } from '../../gateway/streams/event-stream.ts';

/** More than the socket and both kernels take for a page that does not read. */
const FLOOD = 1_000;
const LONG = 'x'.repeat(20_000);

let server: Server;
let socket: Socket;
let res: ServerResponse;
let page: PageStream;
let closed: Promise<void>;

/** A stream on a real connection whose page has not read a byte yet. */
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  res = (await asked)[1];
  page = new PageStream(new EventStream(res));
  closed = new Promise((resolve) => page.open(resolve));
});

afterEach(async () => {
  socket.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const tell = (topic: string, text: string) => page.tell(topic, () => JSON.stringify({ text }));
const begin = () => page.begin(() => JSON.stringify({ text: 'snapshot' }));
const beat = () => page.beat(() => JSON.stringify({ text: 'tick' }));

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

describe('the stream of a page', () => {
  it('begins with the snapshot, and then tells what came before it and after it, numbered', async () => {
    tell('ac', 'early');
    beat();
    begin();
    tell('fan', 'late');
    const received = await readUntil('late');
    const told = [...received.matchAll(/id: (\d+)\nevent: message\ndata: \{"text":"(\w+)"\}/g)];
    expect(told.map(([, id, text]) => [id, text])).toEqual([
      ['1', 'snapshot'],
      ['2', 'early'],
      ['3', 'late'],
    ]);
  });

  it('keeps one message for each topic while the page does not read, and tells the newest of each when it does', async () => {
    begin();
    for (let index = 0; index < FLOOD; index += 1) tell(`topic ${index % 2}`, `${LONG} news ${index}.`);
    expect(res.writableLength).toBeLessThan(1_000_000);
    const received = await readUntil(`news ${FLOOD - 1}.`, `news ${FLOOD - 2}.`);
    expect([...received.matchAll(/news \d+\./g)].length).toBeLessThan(FLOOD);
  });

  it('drops a page that takes nothing between two beats', async () => {
    begin();
    for (let index = 0; index < FLOOD; index += 1) tell(`topic ${index}`, LONG);
    beat();
    expect(res.destroyed).toBe(false);
    beat();
    await closed;
    expect(res.destroyed).toBe(true);
  });

  it('ticks for a page that reads', async () => {
    begin();
    beat();
    expect(await readUntil('tick')).toMatch(/data: \{"text":"tick"\}/);
  });
});

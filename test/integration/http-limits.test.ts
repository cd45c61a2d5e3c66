import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestDoors, type TestDoors, type TestDoorsOptions } from '../support/doors.ts';
import { rawListen } from '../support/raw-listen.ts';
import { rawRpc } from '../support/raw-rpc.ts';

let doors: TestDoors;

afterEach(() => doors.close());

async function open(options: TestDoorsOptions): Promise<TestDoors> {
  doors = await openTestDoors(options);
  return doors;
}

/** A connection by hand, and all that it is told until it is closed. */
async function connected(): Promise<{ readonly socket: Socket; readonly told: Promise<string> }> {
  const socket = connect(doors.port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => {});
  const told = once(socket, 'close').then(() => text);
  await once(socket, 'connect');
  return { socket, told };
}

const HEAD = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

describe('a client that sends a drop at a time', () => {
  const patience = { headersMs: 150, requestMs: 300 };

  /** Sends the same little thing again and again until the gateway has had enough. */
  async function drip(begin: string, drop: string): Promise<string> {
    const { socket, told } = await connected();
    socket.write(begin);
    const drops = setInterval(() => socket.write(drop), 20);
    try {
      return await told;
    } finally {
      clearInterval(drops);
    }
  }

  it('loses its connection while its headers are still coming, and while its body is', async () => {
    await open({ patience });
    expect(await drip(HEAD, 'x-a: b\r\n')).toMatch(/^HTTP\/1\.1 408 /);
    expect(await drip(`${HEAD}content-length: 100000\r\n\r\n`, '[')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('loses it also where it says nothing at all', async () => {
    await open({ patience });
    const { told } = await connected();
    expect(await told).toMatch(/^$|^HTTP\/1\.1 408 /);
  });

  it('is told from one that listens for longer than any request may take', async () => {
    await open({ patience });
    const stream = await rawListen(`${doors.origin}/mcp`, { toolsListChanged: true });
    await stream.next();
    await drip(HEAD, 'x-a: b\r\n');
    await drip(HEAD, 'x-a: b\r\n');
    await drip(HEAD, 'x-a: b\r\n');
    doors.commands.vanish('ac');
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
  });
});

describe('the limits of the configuration', () => {
  it('hold for bodies: what is longer is refused with 413, where it has a length and where it has none', async () => {
    await open({ server: { limits: { body: '2kb' } } });
    const body = JSON.stringify({ text: 'x'.repeat(3_000) });
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/mcp', '/api/tokens']) {
      expect((await fetch(doors.origin + path, { method: 'POST', headers, body })).status).toBe(413);
    }
    const { socket, told } = await connected();
    socket.write(`${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(await told).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('hold for headers: 431', async () => {
    await open({ server: { limits: { headers: '2kb' } } });
    const get = (size: number) => fetch(`${doors.origin}/healthz`, { headers: { 'x-long': 'x'.repeat(size) } });
    expect((await get(1_000)).status).toBe(200);
    expect((await get(3_000)).status).toBe(431);
  });

  it('hold for connections: one more is closed at once, and the others go on', async () => {
    await open({ server: { limits: { connections: 2 } } });
    const kept = [await connected(), await connected()];
    expect(await (await connected()).told).toBe('');
    for (const { socket, told } of kept) {
      socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      expect(await told).toMatch(/^HTTP\/1\.1 200 /);
    }
    await expect.poll(async () => (await fetch(`${doors.origin}/healthz`)).status).toBe(200);
  });

  it('hold for streams', async () => {
    await open({ server: { limits: { streams: 1 } } });
    const url = `${doors.origin}/mcp`;
    await (await rawListen(url, { toolsListChanged: true })).next();
    const { error } = await (await rawListen(url, { toolsListChanged: true })).next();
    expect(error.message).toContain('limit reached: 1 streams');
  });

  it('hold for requests, where nobody shows a token too', async () => {
    await open({ server: { limits: { requests_per_second: 1 } } });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await rawRpc(`${doors.origin}/mcp`, 'tools/list')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await fetch(`${doors.origin}/healthz`)).status).toBe(200);
  });
});

describe('security headers', () => {
  it('are on every answer that a browser may see: what a page may take and from where, and no frame', async () => {
    await open({});
    for (const path of ['/healthz', '/api/session', '/nothing', '/']) {
      const { headers } = await fetch(doors.origin + path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/default-src 'self'.*img-src 'self' data:.*frame-ancestors 'none'/);
      expect(policy).not.toMatch(/unsafe|upgrade-insecure-requests|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('strict-transport-security')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });
});

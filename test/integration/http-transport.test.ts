import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../gateway/actuation/system-clock.ts';
import type { HttpRequest } from '../../gateway/transports/http-connection.ts';
import { HttpTransport, type HttpTransportOptions } from '../../gateway/transports/http-transport.ts';
import { deadBase, ScriptedHttp } from '../support/scripted-http.ts';

const get = (path: string): HttpRequest => ({ method: 'GET', path, headers: {} });

describe('HTTP transport', () => {
  let device: ScriptedHttp;
  const open: HttpTransport[] = [];

  beforeEach(async () => {
    device = await new ScriptedHttp().start();
  });
  afterEach(async () => {
    for (const transport of open.splice(0)) transport.close();
    await device.stop();
  });

  function connect(options: Partial<HttpTransportOptions> = {}): HttpTransport {
    const transport = new HttpTransport({
      base: device.base,
      timeoutMs: 5_000,
      parallel: 4,
      clock: systemClock(),
      ...options,
    });
    open.push(transport);
    return transport;
  }

  it('hands over status, headers and body', async () => {
    device.on('POST /control', (seen, response) => {
      response.writeHead(202, { 'X-Unit': ['a', 'b'] }).end(`got ${seen.body}`);
    });
    const result = await connect().request({
      method: 'POST',
      path: '/control?x=1',
      headers: { 'content-type': 'text/plain', 'x-key': 'k' },
      body: 'größe',
    });
    expect(result).toMatchObject({ type: 'answer', status: 202, text: 'got größe', headers: { 'x-unit': 'a, b' } });
    expect(device.seen[0]?.query.get('x')).toBe('1');
    expect(device.seen[0]?.headers).toMatchObject({ 'x-key': 'k', connection: 'close' });
  });

  it('keeps a path of the base address, and escapes what a path cannot hold', async () => {
    const transport = connect({ base: `${device.base}/unit/` });
    await transport.request(get('state of it'));
    await transport.request(get('//elsewhere.example/x'));
    expect(device.seen.map((seen) => seen.path)).toEqual(['/unit/state%20of%20it', '/unit//elsewhere.example/x']);
  });

  it('sends an empty POST with its length', async () => {
    device.answer('POST /press', 'ok');
    await connect().request({ method: 'POST', path: '/press', headers: {} });
    expect(device.seen[0]?.headers['content-length']).toBe('0');
  });

  it('follows no redirect', async () => {
    device.on('GET /status', (_seen, response) => {
      response.writeHead(302, { location: 'http://192.0.2.1/' }).end();
    });
    expect(await connect().request(get('/status'))).toMatchObject({ type: 'answer', status: 302 });
    expect(device.seen).toHaveLength(1);
  });

  it('replaces bytes that are no UTF-8', async () => {
    device.on('GET /status', (_seen, response) => void response.end(Buffer.from([0x61, 0xff, 0x62])));
    expect(await connect().request(get('/status'))).toMatchObject({ text: 'a\ufffdb' });
  });

  it('is certain that a refused connection delivered nothing', async () => {
    let dispatched = 0;
    const result = await connect({ base: await deadBase() }).request(get('/status'), {
      onDispatch: () => dispatched++,
    });
    expect(result).toMatchObject({ type: 'undelivered', detail: expect.stringContaining('ECONNREFUSED') });
    expect(dispatched).toBe(1);
  });

  it('is certain that a name nobody knows delivered nothing', async () => {
    const result = await connect({ base: 'http://device.invalid' }).request(get('/status'));
    expect(result.type).toBe('undelivered');
  });

  it('is certain that a failed TLS handshake delivered nothing', async () => {
    const result = await connect({ base: device.base.replace('http:', 'https:') }).request(get('/status'));
    expect(result.type).toBe('undelivered');
    expect(device.seen).toHaveLength(0);
  });

  it.each<[string, (response: import('node:http').ServerResponse) => void]>([
    ['is reset', (response) => void response.socket?.resetAndDestroy()],
    ['ends without an answer', (response) => void response.socket?.end()],
    [
      'is cut short',
      (response) =>
        void response.writeHead(200, { 'content-length': '99' }).write('half', () => response.socket?.destroy()),
    ],
    ['is no HTTP', (response) => void response.socket?.end('garbage\r\n\r\n')],
  ])('cannot tell what became of a request whose answer %s', async (_name, act) => {
    device.on('POST /control', (_seen, response) => act(response));
    const result = await connect().request({ method: 'POST', path: '/control', headers: {}, body: '{}' });
    expect(result.type).toBe('lost');
    expect(result).not.toHaveProperty('detail', '');
    expect(device.seen).toHaveLength(1);
  });

  it('gives up on an answer that does not come', async () => {
    device.on('GET /status', () => {});
    const result = await connect({ timeoutMs: 60 }).request(get('/status'));
    expect(result).toEqual({ type: 'lost', detail: 'no answer within 60 ms' });
  });

  it('gives up on an answer that trickles', async () => {
    device.on('GET /status', (_seen, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect(await connect({ timeoutMs: 100 }).request(get('/status'))).toMatchObject({ type: 'lost' });
  });

  it('takes bodies up to its limit', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024);
    device.answer('GET /fits', mebibyte).answer('GET /large', `${mebibyte}x`);
    expect(await connect().request(get('/fits'))).toMatchObject({ type: 'answer', text: mebibyte });
    expect(await connect().request(get('/large'))).toEqual({
      type: 'lost',
      detail: 'the answer is larger than 1048576 bytes',
    });
  });

  it('with parallel 1 sends strictly one after another, in order', async () => {
    let inside = 0;
    let most = 0;
    for (const path of ['/a', '/b', '/c']) {
      device.on(`GET ${path}`, async (_seen, response) => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, 15));
        inside--;
        response.end('ok');
      });
    }
    const transport = connect({ parallel: 1 });
    const dispatched: string[] = [];
    await Promise.all(
      ['/a', '/b', '/c'].map((path) => transport.request(get(path), { onDispatch: () => dispatched.push(path) })),
    );
    expect(most).toBe(1);
    expect(dispatched).toEqual(['/a', '/b', '/c']);
    expect(device.seen.map((seen) => seen.path)).toEqual(['/a', '/b', '/c']);
  });

  it('lets what is urgent go before what waits', async () => {
    const held: (() => void)[] = [];
    device.on('GET /held', (_seen, response) => void held.push(() => response.end('done')));
    for (const path of ['/a', '/b', '/urgent']) device.answer(`GET ${path}`, 'ok');
    const transport = connect({ parallel: 1 });
    const all = [transport.request(get('/held')), transport.request(get('/a')), transport.request(get('/b'))];
    all.push(transport.request(get('/urgent'), { urgent: true }));
    await device.arrived(1);
    held[0]?.();
    await Promise.all(all);
    expect(device.seen.map((seen) => seen.path)).toEqual(['/held', '/urgent', '/a', '/b']);
  });

  it('with parallel 2 has two under way, and a failed one frees its slot', async () => {
    device.on('GET /hangs', () => {}).answer('GET /status', 'ok');
    const transport = connect({ parallel: 2, timeoutMs: 80 });
    const hanging = [transport.request(get('/hangs')), transport.request(get('/hangs'))];
    await device.arrived(2);
    let dispatched = false;
    const third = transport.request(get('/status'), {
      onDispatch: () => {
        dispatched = true;
      },
    });
    expect(dispatched).toBe(false);
    expect((await Promise.all(hanging)).map((result) => result.type)).toEqual(['lost', 'lost']);
    expect(await third).toMatchObject({ type: 'answer', text: 'ok' });
  });

  it('lets a waiting request be called off, but not one that has left', async () => {
    const held: (() => void)[] = [];
    device.on('GET /held', (_seen, response) => void held.push(() => response.end('done')));
    const transport = connect({ parallel: 1 });
    const call = new AbortController();
    const dispatched: string[] = [];
    const departure = (name: string) => ({ signal: call.signal, onDispatch: () => dispatched.push(name) });
    const running = transport.request(get('/held'), departure('running'));
    const queued = transport.request(get('/held'), departure('queued'));
    await device.arrived(1);
    call.abort();
    held[0]?.();
    expect(await running).toMatchObject({ type: 'answer', text: 'done' });
    expect(await queued).toEqual({ type: 'undelivered', detail: 'it was called off' });
    expect(dispatched).toEqual(['running']);
  });

  it('ends everything when it is closed', async () => {
    device.on('GET /hangs', () => {});
    const transport = connect({ parallel: 1 });
    const running = transport.request(get('/hangs'));
    const queued = transport.request(get('/hangs'));
    await device.arrived(1);
    transport.close();
    expect(await running).toEqual({ type: 'lost', detail: 'the gateway is shutting down' });
    expect(await queued).toEqual({ type: 'undelivered', detail: 'the gateway is shutting down' });
    expect(device.seen).toHaveLength(1);
  });
});

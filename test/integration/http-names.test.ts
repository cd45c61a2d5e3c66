import { once } from 'node:events';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { Router } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createAccess } from '../../gateway/http/access.ts';
import { createHandler } from '../../gateway/http/app.ts';
import { type Listener, listen } from '../../gateway/http/listen.ts';
import type { Names } from '../../gateway/http/names.ts';
import { Tokens } from '../../gateway/http/tokens.ts';

let listener: Listener | undefined;

afterEach(async () => {
  await listener?.close();
});

/** The gateway as it would serve at `host`; the test reaches it by loopback. */
async function serve(names: Names): Promise<(host: string, origin?: string) => Promise<number | undefined>> {
  const mcp = { handle: async () => {} };
  const about = { name: 'readback', version: '0', onError: () => {} };
  const app = createHandler({
    ...about,
    ...names,
    mcp,
    api: Router(),
    access: createAccess(new Tokens({ configured: [] })),
  });
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }).then((begun) => {
    listener = begun;
    return begun;
  });
  return async (host, origin) => {
    const headers = { host: `${host}:${port}`, ...(origin !== undefined && { origin }) };
    const sent = request({ port, host: '127.0.0.1', path: '/healthz', headers }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode;
  };
}

describe('on loopback', () => {
  it("only this machine's own names are let in, and those that the owner allows", async () => {
    const get = await serve({ host: '127.0.0.1', allowedHosts: ['home.example'] });
    for (const host of ['127.0.0.1', 'localhost', '[::1]', 'home.example']) expect(await get(host)).toBe(200);
    for (const host of ['evil.example', '192.0.2.7']) expect(await get(host)).toBe(403);
  });

  it('pages of this machine may call, and others only where they are allowed', async () => {
    const get = await serve({ host: '127.0.0.1', allowedOrigins: ['dash.lan'] });
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'https://dash.lan']) {
      expect(await get('localhost', origin)).toBe(200);
    }
    for (const origin of ['http://evil.example', 'null', 'not an origin']) {
      expect(await get('localhost', origin)).toBe(403);
    }
  });
});

describe('on the LAN', () => {
  it("addresses in numbers, this machine's own names and those that the owner lists are let in", async () => {
    const get = await serve({ host: '0.0.0.0', allowedHosts: ['home.example'] });
    const own = hostname().toLowerCase();
    for (const name of ['192.0.2.7', '[fd00::7]', 'localhost', own, `${own}.local`, 'home.example', 'HOME.example']) {
      expect(await get(name), name).toBe(200);
    }
    for (const name of ['evil.example', `${own}.evil.example`, '192.0.2.7.evil.example']) {
      expect(await get(name), name).toBe(403);
    }
  });

  it('whoever is turned away is told the setting by which it would be let in', async () => {
    await serve({ host: '0.0.0.0' });
    for (const [host, origin, setting] of [
      ['pi.lan', undefined, 'server.allowed_hosts'],
      ['192.0.2.7', 'http://dash.lan', 'server.allowed_origins'],
    ] as const) {
      const headers = { host, ...(origin && { origin }) };
      const sent = request({ port: listener?.port, host: '127.0.0.1', path: '/healthz', headers }).end();
      const [response] = await once(sent, 'response');
      expect(JSON.parse(await text(response)).error.message).toContain(setting);
    }
  });

  it("the gateway's own pages may call, and others only where they are allowed", async () => {
    const get = await serve({ host: '0.0.0.0', allowedHosts: ['pi.lan'], allowedOrigins: ['dash.lan'] });
    expect(await get('pi.lan', 'http://pi.lan:8730')).toBe(200);
    expect(await get('pi.lan', 'http://dash.lan')).toBe(200);
    expect(await get('pi.lan', 'http://localhost:3000')).toBe(403);
    expect(await get('pi.lan', 'http://evil.example')).toBe(403);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { bearer, rawHeaders } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

let doors: TestDoors;

beforeEach(async () => {
  doors = await openTestDoors({ configured: [tokenRecord('anna', 'control'), tokenRecord('owner', 'admin')] });
});

afterEach(() => doors.close());

const JSON_TYPE = { 'content-type': 'application/json' };

function signIn(token: unknown, headers = {}): Promise<Response> {
  const body = JSON.stringify({ token });
  return fetch(`${doors.origin}/api/session`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
}

/** What the browser would send from then on. */
async function cookieOf(name: string): Promise<string> {
  const set = (await signIn(tokenOf(name))).headers.get('set-cookie') ?? '';
  return set.split(';')[0] as string;
}

const session = async (headers = {}) => (await fetch(`${doors.origin}/api/session`, { headers })).json();

describe('a browser that signs in', () => {
  it('is given a cookie that no script can read and no other site can send', async () => {
    const response = await signIn(tokenOf('anna'));
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toMatch(
      /^readback_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect(await response.json()).toEqual({
      signed_in: true,
      name: 'anna',
      scopes: ['read', 'control'],
      needs_token: true,
      can_make_tokens: false,
    });
  });

  it('is told whether it is signed in, without having to be', async () => {
    expect(await session()).toEqual({
      signed_in: false,
      name: null,
      scopes: [],
      needs_token: true,
      can_make_tokens: false,
    });
    expect(await session({ cookie: await cookieOf('owner') })).toMatchObject({ name: 'owner', can_make_tokens: true });
    expect(await session({ cookie: 'a=b; readback_session=guess; c' })).toMatchObject({ signed_in: false });
  });

  it('gets what its token allows, of the API and of nothing else', async () => {
    const tokens = (cookie: string) => fetch(`${doors.origin}/api/tokens`, { headers: { cookie } });
    expect((await tokens(await cookieOf('owner'))).status).toBe(200);
    expect((await tokens(await cookieOf('anna'))).status).toBe(403);
    expect((await tokens('readback_session=guess')).status).toBe(401);
    const headers = { ...rawHeaders('tools/list'), cookie: await cookieOf('owner') };
    const mcp = await fetch(`${doors.origin}/mcp`, { method: 'POST', headers, body: '{}' });
    expect(mcp.status).toBe(401);
  });

  it('signs out, and is out at once where its token is revoked', async () => {
    const out = await fetch(`${doors.origin}/api/session`, { method: 'DELETE' });
    expect(out.headers.get('set-cookie')).toMatch(/^readback_session=; .*Max-Age=0/);
    const token = await doors.tokens.add('guest', ['read']);
    const set = (await signIn(token)).headers.get('set-cookie') ?? '';
    const cookie = set.split(';')[0] as string;
    expect(await session({ cookie })).toMatchObject({ signed_in: true });
    await doors.tokens.revoke('guest');
    expect(await session({ cookie })).toMatchObject({ signed_in: false });
  });

  it('needs a token only where there is one', async () => {
    const open = await openTestDoors();
    const answer = await (await fetch(`${open.origin}/api/session`)).json();
    expect(answer).toMatchObject({ signed_in: true, name: 'local', needs_token: false, can_make_tokens: true });
    await open.close();
  });
});

describe('a page of another origin', () => {
  const change = async (headers: object) => {
    const response = await fetch(`${doors.origin}/api/tokens`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify({ name: 'guest', scopes: ['read'] }),
    });
    return response.status;
  };

  it('may not act for the person who signed in, nor may whoever does not say where it is from', async () => {
    const cookie = await cookieOf('owner');
    for (const from of [
      {},
      { origin: 'http://localhost:3000' },
      { origin: `http://127.0.0.1:${doors.port + 1}` },
      { origin: `https://127.0.0.1:${doors.port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect(await change({ cookie, ...from }), JSON.stringify(from)).toBe(403);
    }
    expect(doors.tokens.list()).toHaveLength(2);
  });

  it('is told from a page of the gateway, and from a program that shows the token itself', async () => {
    const cookie = await cookieOf('owner');
    expect(await change({ cookie, origin: doors.origin })).toBe(201);
    await doors.tokens.revoke('guest');
    expect(await change({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(201);
    await doors.tokens.revoke('guest');
    expect(await change(bearer(tokenOf('owner')))).toBe(201);
  });

  it('may look at nothing through a form: what is sent has to be JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    const body = JSON.stringify({ token: tokenOf('anna') });
    const response = await fetch(`${doors.origin}/api/session`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('whoever guesses', () => {
  it('is slowed down, whatever it shows then, and may go on after a while', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await signIn(`guess-${attempt}`)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const slowed = await signIn(tokenOf('anna'));
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(slowed.headers.get('set-cookie')).toBeNull();
    doors.commands.advance(7_000);
    expect((await signIn(tokenOf('anna'))).status).toBe(200);
  });

  it.each([
    ['a bearer token at MCP', '/mcp', bearer('guess')],
    ['a bearer token at the API', '/api/devices', bearer('guess')],
    ['a cookie at the API', '/api/devices', { cookie: 'readback_session=guess' }],
    ['a cookie at the sign-in', '/api/session', { cookie: 'readback_session=guess' }],
  ])('is slowed down by whatever door: %s', async (_, path, headers) => {
    const get = async (shown: Record<string, string>, at = path) =>
      (await fetch(doors.origin + at, { headers: shown })).status;
    // From before, and not to be shut out by what others of its machine do.
    expect(await get(bearer(tokenOf('anna')), '/api/devices')).toBe(200);
    for (let attempt = 0; attempt < 10; attempt += 1) expect([200, 401]).toContain(await get(headers));
    expect(await get(headers)).toBe(429);
    expect(await get(bearer('guess'), '/api/devices')).toBe(429);
    expect((await signIn(tokenOf('owner'))).status).toBe(429);
    expect(await get(bearer(tokenOf('owner')), '/api/devices')).toBe(429);
    expect(await get(bearer(tokenOf('anna')), '/api/devices')).toBe(200);
    expect(await get(bearer(doors.tokens.localToken), '/api/devices')).toBe(200);
    doors.commands.advance(7_000);
    expect(await get(bearer(tokenOf('owner')), '/api/devices')).toBe(200);
  });

  it('is not who shows nothing', async () => {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect((await fetch(`${doors.origin}/api/devices`)).status).toBe(401);
      expect((await fetch(`${doors.origin}/api/session`)).status).toBe(200);
    }
  });

  it('is answered without its guess, as is whoever sends something else', async () => {
    const secret = 'a-secret-of-somewhere-else';
    for (const token of [secret, '', 7, null, [secret], { token: secret }]) {
      const response = await signIn(token);
      expect([400, 401]).toContain(response.status);
      expect(await response.text()).not.toContain(secret);
    }
    const malformed = await fetch(`${doors.origin}/api/session`, { method: 'POST', headers: JSON_TYPE, body: secret });
    expect(malformed.status).toBe(400);
    expect(await malformed.text()).not.toContain(secret);
    const long = await signIn('x'.repeat(10_000));
    expect(long.status).toBe(413);
    expect(JSON.stringify(doors.log.lines)).not.toContain(secret);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { connectOlderClient } from '../support/older-client.ts';
import { rawListen } from '../support/raw-listen.ts';
import { bearer, rawRpc } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

let doors: TestDoors;
const url = () => `${doors.origin}/mcp`;

beforeEach(async () => {
  doors = await openTestDoors({ configured: [tokenRecord('owner', 'admin')] });
});

afterEach(() => doors.close());

async function api(method: string, path: string, body?: object, token: string | undefined = tokenOf('owner')) {
  const response = await fetch(`${doors.origin}/api${path}`, {
    method,
    headers: { ...bearer(token), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on whatever the wire carries
  const answer: any = await response.json();
  return { status: response.status, body: answer, headers: response.headers };
}

const add = async (name: string, ...scopes: string[]) => (await api('POST', '/tokens', { name, scopes })).body.token;

describe('the API of tokens', () => {
  it('makes one that opens the doors at once, and shows it this one time', async () => {
    const made = await api('POST', '/tokens', { name: 'anna', scopes: ['read'] });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(made.body).toEqual({ name: 'anna', scopes: ['read'], token: expect.any(String), first: false });
    expect((await rawRpc(url(), 'tools/list', {}, { token: made.body.token })).status).toBe(200);
    const listed = await api('GET', '/tokens');
    expect(listed.body.tokens).toContainEqual({ name: 'anna', scopes: ['read'], from: 'added' });
    expect(JSON.stringify(listed.body)).not.toContain(made.body.token);
  });

  it.each([
    ['a name that is taken', 'POST', '/tokens', { name: 'owner', scopes: ['read'] }, 409],
    ['a name that is none', 'POST', '/tokens', { name: 'a b', scopes: ['read'] }, 400],
    ['no scope', 'POST', '/tokens', { name: 'anna', scopes: [] }, 400],
    ['an unknown scope', 'POST', '/tokens', { name: 'anna', scopes: ['root'] }, 400],
    ['more than that', 'POST', '/tokens', { name: 'anna', scopes: ['read'], token: 'mine' }, 400],
    ['one of the configuration', 'DELETE', '/tokens/owner', undefined, 409],
    ['one that is unknown', 'DELETE', '/tokens/nobody', undefined, 404],
  ])('refuses %s', async (_, method, path, body, status) => {
    expect(await api(method, path, body)).toMatchObject({ status, body: { ok: false, message: expect.any(String) } });
    expect(doors.tokens.list()).toHaveLength(1);
  });
});

describe('a token that is revoked', () => {
  it('opens nothing any more', async () => {
    const token = await add('anna', 'control');
    expect(await api('DELETE', '/tokens/anna')).toMatchObject({ status: 200, body: { name: 'anna', open: false } });
    expect((await rawRpc(url(), 'tools/list', {}, { token })).status).toBe(401);
  });

  it('loses its streams and sessions at once, and nobody else does', async () => {
    const [anna, ben] = [await add('anna', 'control'), await add('ben', 'control')];
    const listen = (token: string) => rawListen(url(), { toolsListChanged: true }, { token });
    const [annas, bens] = [await listen(anna), await listen(ben)];
    for (const stream of [annas, bens]) expect((await stream.next()).method).toMatch(/acknowledged$/);
    const older = await connectOlderClient(url(), undefined, anna);
    await api('DELETE', '/tokens/anna');
    await expect(annas.next()).rejects.toThrow();
    // Whoever has the name next does not take over what was left.
    const again = await add('anna', 'control');
    const headers = { ...bearer(again), 'mcp-session-id': older.transport.sessionId ?? '' };
    expect((await fetch(url(), { method: 'DELETE', headers })).status).toBe(404);
    await older.close().catch(() => undefined);
    doors.commands.vanish('ac');
    expect((await bens.next()).method).toBe('notifications/tools/list_changed');
  });

  it('may be the very one that revokes it: the answer still comes', async () => {
    const token = await add('second', 'admin');
    expect((await api('DELETE', '/tokens/second', undefined, token)).status).toBe(200);
    expect((await api('GET', '/tokens', undefined, token)).status).toBe(401);
  });
});

describe('the first token of a gateway that was open', () => {
  it('shuts out whoever came in without one, and lets the command line in as before', async () => {
    await doors.close();
    doors = await openTestDoors();
    const stream = await rawListen(url(), { toolsListChanged: true });
    await stream.next();
    const ended = expect(stream.next()).rejects.toThrow();
    expect((await api('POST', '/tokens', { name: 'anna', scopes: ['read'] }, '')).body.first).toBe(true);
    await ended;
    expect((await rawRpc(url(), 'tools/list')).status).toBe(401);
    expect((await api('GET', '/tokens', undefined, doors.tokens.localToken)).status).toBe(200);
    expect((await api('DELETE', '/tokens/anna', undefined, doors.tokens.localToken)).body).toEqual({
      name: 'anna',
      open: true,
    });
    expect((await rawRpc(url(), 'tools/list')).status).toBe(200);
  });
});

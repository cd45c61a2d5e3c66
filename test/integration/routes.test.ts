import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allScopes, SCOPES, type Scope } from '../../gateway/domain/principal.ts';
import { createApp } from '../../gateway/http/app.ts';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { bearer } from '../support/raw-rpc.ts';
import { type Route, routesOf } from '../support/routes.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

/** Every route that there is, and the scopes of which one is needed; none for those that are open to everybody. */
const ROUTES: Readonly<Record<Route, readonly Scope[] | 'open'>> = {
  'ALL /mcp': ['read'],
  'GET /': 'open',
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /metrics': ['read'],
  'GET /api/session': 'open',
  'POST /api/session': 'open',
  'DELETE /api/session': 'open',
  'GET /api/home': ['read', 'approve'],
  'GET /api/events': ['read', 'approve'],
  'GET /api/devices': ['read'],
  'POST /api/devices/:id/look': ['read'],
  'GET /api/commands': ['read', 'approve'],
  'GET /api/commands/:id': ['read', 'approve'],
  'POST /api/commands': ['control'],
  'POST /api/commands/:id/cancel': ['control'],
  'GET /api/approvals': ['approve'],
  'POST /api/approvals/:id': ['approve'],
  'GET /api/discovery': ['admin'],
  'GET /api/tokens': ['admin'],
  'POST /api/tokens': ['admin'],
  'DELETE /api/tokens/:name': ['admin'],
  'GET /api/simulator': ['admin'],
  'POST /api/simulator/:id': ['admin'],
};

const METHODS_OF_ALL = ['GET', 'POST', 'DELETE', 'PUT'];

let doors: TestDoors;

beforeAll(async () => {
  doors = await openTestDoors({ configured: SCOPES.map((scope) => tokenRecord(scope, scope)) });
});

afterAll(() => doors.close());

// Whoever shows too many unknown tokens is told to wait.
beforeEach(() => doors.commands.advance(60_000));

/** One request, of which no more is read than the beginning of the answer. */
async function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const end = new AbortController();
  const response = await fetch(doors.origin + path.replace(/:\w+/, 'nothing'), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    signal: end.signal,
    ...(method !== 'GET' && { body: '{}' }),
  });
  end.abort();
  return response.status;
}

const cases = Object.entries(ROUTES).flatMap(([route, needed]) => {
  const [method = '', path = ''] = route.split(' ');
  return (method === 'ALL' ? METHODS_OF_ALL : [method]).map((each) => ({ method: each, path, needed }));
});
const guarded = cases.filter(({ needed }) => needed !== 'open');
const open = cases.filter(({ needed, path }) => needed === 'open' && path !== '/api/session');

describe('the routes of the gateway', () => {
  it('are all in this table', () => {
    expect(routesOf(createApp(doors.app))).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(guarded)('$method $path asks for a token', async ({ method, path }) => {
    expect(await statusOf(method, path, {})).toBe(401);
    expect(await statusOf(method, path, bearer('guess'))).toBe(401);
    expect(await statusOf(method, path, { cookie: 'readback_session=guess', origin: doors.origin })).toBe(401);
  });

  it.each(guarded)('$method $path answers for its scopes alone', async ({ method, path, needed }) => {
    for (const scope of SCOPES) {
      const may = allScopes([scope]).some((each) => needed.includes(each));
      const status = await statusOf(method, path, bearer(tokenOf(scope)));
      if (may) expect([401, 403], scope).not.toContain(status);
      else expect(status, scope).toBe(403);
    }
  });

  it.each(guarded)(
    '$method $path takes a cookie as it takes its token, and of pages of its own only',
    async (route) => {
      const { method, path, needed } = route;
      const cookie = `readback_session=${tokenOf('admin')}`;
      const own = await statusOf(method, path, { cookie, origin: doors.origin });
      if (path === '/mcp') expect(own).toBe(401);
      else expect([401, 403], String(needed)).not.toContain(own);
      if (method !== 'GET' && path !== '/mcp') expect(await statusOf(method, path, { cookie })).toBe(403);
    },
  );

  it.each(open)('$method $path answers everybody', async ({ method, path }) => {
    expect([401, 403, 404]).not.toContain(await statusOf(method, path, {}));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { bearer, rawHeaders } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

const ALLOWED = 'https://dash.lan:8443';
/** Let in, as a page of this machine, and not among those that the owner lists. */
const UNLISTED = 'http://localhost:3000';

let doors: TestDoors;

beforeAll(async () => {
  doors = await openTestDoors({
    configured: [tokenRecord('anna', 'control')],
    server: { allowed_origins: ['dash.lan'] },
  });
});

afterAll(() => doors.close());

const PLACES = ['/mcp', '/mcp?by=express', '/api/devices'];

/** What a browser asks before a page's request that is more than a form. */
function preflight(path: string, origin: string): Promise<Response> {
  const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  return fetch(doors.origin + path, { method: 'OPTIONS', headers: { origin, ...asks } });
}

describe("a page of a host in the owner's list", () => {
  it.each(PLACES)('is told before its request what it may send, without a token: %s', async (path) => {
    const { status, headers } = await preflight(path, ALLOWED);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(headers.get('access-control-allow-methods')).toBe('POST, GET, DELETE');
    const sends = headers.get('access-control-allow-headers')?.split(', ');
    const needed = ['authorization', 'mcp-session-id', ...Object.keys(rawHeaders('tools/list', 'x'))];
    // A browser lets a page set `accept` without asking.
    expect(sends).toEqual(expect.arrayContaining(needed.filter((name) => name !== 'accept')));
    expect(headers.get('vary')).toContain('Origin');
  });

  it.each(PLACES)(
    'may read the answer, and a refusal too; never by the cookie of whoever signed in: %s',
    async (path) => {
      const method = path.startsWith('/mcp') ? 'POST' : 'GET';
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      for (const [token, status] of [
        [tokenOf('anna'), 200],
        [undefined, 401],
      ] as const) {
        const headers = {
          ...bearer(token),
          origin: ALLOWED,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        };
        const answer = await fetch(doors.origin + path, { method, headers, ...(method === 'POST' && { body }) });
        expect(answer.status).toBe(status);
        expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED);
        expect(answer.headers.get('access-control-expose-headers')).toMatch(/mcp-session-id, www-authenticate/);
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        expect(answer.headers.get('vary')).toContain('Origin');
      }
    },
  );
});

describe('any other page', () => {
  it.each(PLACES)('is told nothing that would let it read: %s', async (path) => {
    for (const [origin, status] of [
      [UNLISTED, 401],
      ['https://evil.example', 403],
      ['https://dash.lan.evil.example', 403],
      ['null', 403],
    ] as const) {
      const { status: answered, headers } = await preflight(path, origin);
      expect(answered).toBe(status);
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('access-control-allow-methods')).toBeNull();
    }
  });

  it('is not spoken of at all where the owner lists nobody', async () => {
    const other = await openTestDoors();
    const { headers } = await fetch(`${other.origin}/healthz`, { headers: { origin: other.origin } });
    expect(headers.get('vary')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
    await other.close();
  });
});

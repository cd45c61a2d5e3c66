import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { DEMO_FAN } from '../support/demo-devices.ts';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { rawListen } from '../support/raw-listen.ts';
import { bearer, rawHeaders, TASK_CLIENT } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

const ANNA = tokenRecord('anna', 'control');
const OWNER = tokenRecord('owner', 'admin');

let doors: TestDoors;

beforeEach(async () => {
  doors = await openTestDoors({ configured: [ANNA, OWNER] });
});

afterEach(() => doors.close());

const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'set_fan',
    arguments: { power: 'on' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'late', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': TASK_CLIENT,
    },
  },
});
const WISH = JSON.stringify({ device: DEMO_FAN.id, set: { power: 'on' } });

const WAYS = [
  ['to MCP, by the short way', '/mcp', CALL],
  ['to MCP, by Express', '/mcp?by=express', CALL],
  ['to the API', '/api/commands', WISH],
] as const;

/** Sends the head of a request and goes on once it was let in; `finish` sends the body. */
async function begin(path: string, body: string, token?: string) {
  const sent = request(doors.origin + path, {
    method: 'POST',
    headers: {
      ...rawHeaders('tools/call', 'set_fan'),
      ...bearer(token),
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  const answered = once(sent, 'response');
  sent.flushHeaders();
  await once(sent, 'continue');
  return async () => {
    sent.end(body);
    const [response] = await answered;
    return { status: response.statusCode as number, headers: response.headers, body: await text(response) };
  };
}

describe.each(WAYS)('a request whose body comes late, %s', (_, path, body) => {
  it('is carried out where its token is still good', async () => {
    const finish = await begin(path, body, tokenOf('anna'));
    expect([200, 201, 202]).toContain((await finish()).status);
    expect(doors.commands.wishes).toHaveLength(1);
  });

  it.each([
    ['revoked', [OWNER]],
    ['lowered', [tokenRecord('anna', 'read'), OWNER]],
  ])('is refused where its token was %s meanwhile', async (_, left) => {
    const finish = await begin(path, body, tokenOf('anna'));
    await doors.tokens.configure(left);
    const { status, headers } = await finish();
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('invalid_token');
    expect(doors.commands.wishes).toEqual([]);
  });

  it('is refused where it came without a token before there was one', async () => {
    await doors.close();
    doors = await openTestDoors();
    const finish = await begin(path, body);
    await doors.tokens.add('first', ['admin']);
    expect((await finish()).status).toBe(401);
    expect(doors.commands.wishes).toEqual([]);
  });
});

describe('a stream that is about to open', () => {
  it('does not open for whoever was shut out while its tasks were looked up', async () => {
    const { taskId } = await doors.commands.submit({ deviceId: DEMO_FAN.id, set: { power: 'on' }, principal: 'anna' });
    const [asked, release] = [deferred<void>(), deferred<void>()];
    const get = doors.commands.get.bind(doors.commands);
    vi.spyOn(doors.commands, 'get').mockImplementation(async (...args) => {
      asked.resolve();
      await release.promise;
      return get(...args);
    });
    const refused = expect(
      rawListen(`${doors.origin}/mcp`, { taskIds: [taskId] }, { token: tokenOf('anna') }),
    ).rejects.toThrow();
    await asked.promise;
    await doors.tokens.configure([OWNER]);
    release.resolve();
    await refused;
  });
});

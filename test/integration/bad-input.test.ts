import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BadRequest, badRequest } from '../support/bad-requests.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { rawCall, rawHeaders, readAnswer, TASK_CLIENT } from '../support/raw-rpc.ts';

/** How many malformed requests are sent, and how many of them at a time. */
const REQUESTS = 2_400;
const AT_ONCE = 8;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

/** Nothing broke, nothing was commanded, and the next request is served as if nothing had happened. */
afterAll(async () => {
  expect(gateway.errors).toEqual([]);
  expect(gateway.commands.wishes).toEqual([]);
  const { body } = await rawCall(gateway.url, 'get_state', {}, { capabilities: TASK_CLIENT });
  expect(body.result.structuredContent.devices).toHaveLength(2);
  await gateway.close();
});

async function expectRefusal({ path, method = 'POST', headers, body, ...expected }: BadRequest): Promise<void> {
  const response = await fetch(path === undefined ? gateway.url : `${gateway.origin}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const answer = await readAnswer(response);
  expect(answer.type, expected.what).toMatch(/^(application\/json|text\/event-stream)/);
  expect({ what: expected.what, status: answer.status, code: answer.body?.error?.code }).toEqual({
    what: expected.what,
    status: expected.status,
    code: expected.code,
  });
  if (expected.id !== undefined) expect(answer.body.id).toEqual(expected.id);
  expect(answer.body.error.message).toMatch(/\S/);
  expect(answer.body.error.message).not.toMatch(/<\/?[a-z]+>|\bat \S+ \(|node_modules|\.[jt]s:\d/i);
}

describe('a malformed request', () => {
  it(`gets the error that the specification names, in JSON (${REQUESTS} of them)`, async () => {
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(badRequest, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
        sent += requests.length;
        await Promise.all(requests.map(expectRefusal));
      }),
      { numRuns: REQUESTS / AT_ONCE },
    );
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  }, 180_000);

  it('that is cut in the middle is forgotten, wherever the cut is', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'set_fan', arguments: { power: 'on' }, _meta: {} },
    });
    const headers = Object.entries({ ...rawHeaders('tools/call', 'set_fan'), host: '127.0.0.1' })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const whole = `POST /mcp HTTP/1.1\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: whole.length - 1 }), fc.boolean(), async (cut, politely) => {
        const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1');
        let answer = '';
        socket.setEncoding('utf8').on('data', (part: string) => {
          answer += part;
        });
        await once(socket, 'connect');
        await new Promise<void>((resolve) => socket.write(whole.slice(0, cut), () => resolve()));
        if (politely) socket.end();
        else socket.destroy();
        await once(socket, 'close');
        // Where anything comes back at all, it is Node's own line for a request that is none.
        expect(answer).toMatch(/^$|^HTTP\/1\.1 4\d\d /);
        expect(answer).not.toMatch(/<html/i);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it('is refused before it is read where the bytes are no HTTP', async () => {
    for (const junk of [
      '\x00\x01\x02\r\n\r\n',
      'GET /mcp HTTP/9.9\r\n\r\n',
      `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n\r\n`,
    ]) {
      const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1');
      socket.end(junk);
      const [first] = await once(socket.setEncoding('utf8'), 'data');
      expect(first).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(first).not.toMatch(/<html/i);
      socket.destroy();
    }
  });
});

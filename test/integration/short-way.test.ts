import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, createHandler } from '../../gateway/http/app.ts';
import { type Listener, listen } from '../../gateway/http/listen.ts';
import { DEMO_FAN } from '../support/demo-devices.ts';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { bearer, rawHeaders, TASK_CLIENT } from '../support/raw-rpc.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

/** The doors as they are, and the same ones with Express alone. */
let doors: TestDoors;
let express: Listener;
let taskId: string;

beforeAll(async () => {
  doors = await openTestDoors({
    configured: [tokenRecord('anna', 'control'), tokenRecord('judge', 'approve')],
    server: { limits: { body: '4kb' } },
  });
  express = await listen(createApp(doors.app), { host: '127.0.0.1', port: 0 });
  ({ taskId } = await doors.commands.submit({ deviceId: DEMO_FAN.id, set: { power: 'on' }, principal: 'anna' }));
});

afterAll(async () => {
  expect(doors.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  await express.close();
  await doors.close();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

async function send(port: number, { method = 'POST', path = '/mcp', headers = {}, body = '' }: Sent) {
  const sent = request({ port, host: '127.0.0.1', method, path, headers });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const { date: _, connection: __, 'keep-alive': ___, ...told } = response.headers;
  return { status: response.statusCode as number, headers: told, body: await text(response) };
}

const message = (method: string, params: object = {}) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
        'io.modelcontextprotocol/clientCapabilities': TASK_CLIENT,
      },
    },
  });

const get = () => ({
  headers: { ...rawHeaders('tasks/get', taskId), ...bearer(tokenOf('anna')) } as Record<string, string>,
  body: message('tasks/get', { taskId }),
});

/** Sends the length of the body, as clients do that know it, and as the short way wants it. */
const withLength = ({ headers = {}, body = '', ...rest }: Sent): Sent => ({
  ...rest,
  body,
  headers: { ...headers, 'content-length': Buffer.byteLength(body) },
});

const REQUESTS: Readonly<Record<string, { readonly status: number; readonly sent: () => Sent }>> = {
  'a task': { status: 200, sent: get },
  'the list of tools': {
    status: 200,
    sent: () => ({ headers: { ...rawHeaders('tools/list'), ...bearer(tokenOf('anna')) }, body: message('tools/list') }),
  },
  'an unknown method': {
    status: 404,
    sent: () => ({ headers: { ...rawHeaders('no/such'), ...bearer(tokenOf('anna')) }, body: message('no/such') }),
  },
  'a header that contradicts the body': {
    status: 400,
    sent: () => ({ ...get(), headers: { ...get().headers, 'mcp-method': 'tasks/cancel' } }),
  },
  'an unknown protocol version': {
    status: 400,
    sent: () => ({ ...get(), headers: { ...get().headers, 'mcp-protocol-version': '2099-01-01' } }),
  },
  'a foreign name': { status: 403, sent: () => ({ ...get(), headers: { ...get().headers, host: 'evil.example' } }) },
  'a page of another site': {
    status: 403,
    sent: () => ({ ...get(), headers: { ...get().headers, origin: 'http://evil.example' } }),
  },
  'no token': { status: 401, sent: () => ({ ...get(), headers: rawHeaders('tasks/get', taskId) }) },
  'an unknown token': { status: 401, sent: () => ({ ...get(), headers: { ...get().headers, ...bearer('guess') } }) },
  'a cookie in the place of a token': {
    status: 401,
    sent: () => ({
      ...get(),
      headers: { ...rawHeaders('tasks/get', taskId), cookie: `readback_session=${tokenOf('anna')}` },
    }),
  },
  'a token without the scope': {
    status: 403,
    sent: () => ({ ...get(), headers: { ...get().headers, ...bearer(tokenOf('judge')) } }),
  },
  'a body that is too long': {
    status: 413,
    sent: () => ({ ...get(), body: message('tasks/get', { taskId: 'x'.repeat(5_000) }) }),
  },
  'a body that is too deep': { status: 400, sent: () => ({ ...get(), body: '['.repeat(101) + ']'.repeat(101) }) },
  'no JSON': { status: 400, sent: () => ({ ...get(), body: '{"jsonrpc":' }) },
  'bytes that are no text': { status: 400, sent: () => ({ ...get(), body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }) },
  'a byte order mark': { status: 200, sent: () => ({ ...get(), body: `\ufeff${get().body}` }) },
  'broken text in a string': {
    status: 400,
    sent: () => ({
      ...get(),
      body: Buffer.concat([Buffer.from(get().body.slice(0, -1)), Buffer.from(',"x":"\xff"}', 'latin1')]),
    }),
  },
  'a JSON value that is no message': { status: 400, sent: () => ({ ...get(), body: '"hello"' }) },
  'a charset': {
    status: 200,
    sent: () => ({ ...get(), headers: { ...get().headers, 'content-type': 'application/json; charset=UTF-8' } }),
  },
  'another charset': {
    status: 415,
    sent: () => ({
      headers: { ...get().headers, 'content-type': 'application/json; charset=utf-16le' },
      body: Buffer.from(get().body, 'utf16le'),
    }),
  },
  'a compressed body': {
    status: 200,
    sent: () => ({ headers: { ...get().headers, 'content-encoding': 'gzip' }, body: gzipSync(get().body) }),
  },
  'another content type': {
    status: 415,
    sent: () => ({ ...get(), headers: { ...get().headers, 'content-type': 'text/plain' } }),
  },
  'no body': { status: 400, sent: () => ({ headers: get().headers }) },
  'a query behind the path': { status: 200, sent: () => ({ ...get(), path: '/mcp?a=1' }) },
  'another spelling of the path': { status: 200, sent: () => ({ ...get(), path: '/MCP/' }) },
  'another method': { status: 405, sent: () => ({ ...get(), method: 'PUT' }) },
  'another path': { status: 404, sent: () => ({ ...get(), path: '/mcp2' }) },
};

describe('the short way to MCP', () => {
  it.each(Object.entries(REQUESTS))('answers like the way through Express: %s', async (_, { status, sent }) => {
    const asked = withLength(sent());
    const [short, long] = [await send(doors.port, asked), await send(express.port, asked)];
    expect(short.status).toBe(status);
    expect(short).toEqual(long);
  });

  it('and where nobody said how long the body is', async () => {
    for (const { sent } of Object.values(REQUESTS)) {
      expect(await send(doors.port, sent())).toEqual(await send(express.port, sent()));
    }
  });

  it('answers a fault of ours, and says no more of it than the other way', async () => {
    const faults: Error[] = [];
    const faulty = {
      ...doors.app,
      mcp: { handle: () => Promise.reject(new Error('/home/pi/secret')) },
      onError: (error: Error) => void faults.push(error),
    };
    const at = { host: '127.0.0.1', port: 0 };
    const listeners = [await listen(createHandler(faulty), at), await listen(createApp(faulty), at)];
    const answers = await Promise.all(listeners.map(({ port }) => send(port, withLength(get()))));
    expect(answers[0]).toMatchObject({ status: 500, body: expect.stringContaining('Internal error') });
    expect(answers[0]?.body).not.toContain('secret');
    expect(answers[0]).toEqual(answers[1]);
    expect(faults).toHaveLength(2);
    await Promise.all(listeners.map((each) => each.close()));
  });

  it('counts towards the same limit of requests', async () => {
    const other = await openTestDoors({
      configured: [tokenRecord('anna', 'read'), tokenRecord('ben', 'read')],
      server: { limits: { requests_per_second: 5 } },
    });
    const ask = (name: string, plain: boolean) => {
      const sent = { headers: { ...rawHeaders('tools/list'), ...bearer(tokenOf(name)) }, body: message('tools/list') };
      return send(other.port, plain ? withLength(sent) : sent);
    };
    const answers = [];
    for (let at = 0; at < 11; at += 1) answers.push(await ask('anna', at % 2 === 0));
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(answers.at(-1)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(answers.at(-1)?.body).toContain('server.limits.requests_per_second (5)');
    expect((await ask('ben', true)).status).toBe(200);
    other.commands.advance(1_000);
    expect((await ask('anna', true)).status).toBe(200);
    await other.close();
  });
});

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartError } from '../../gateway/domain/errors.ts';
import { listen } from '../../gateway/http/listen.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { rawCall, rawHeaders, rawRpc, readAnswer } from '../support/raw-rpc.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.close();
});

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('every error is JSON', () => {
  const post = (headers: Record<string, string>, body: string) => ({ method: 'POST', headers, body });

  it.each([
    ['malformed JSON', post(json, '{"jsonrpc":'), 400, -32700],
    ['a body that is no message', post(json, '{}'), 400, -32600],
    ['an empty batch', post(json, '[]'), 400, -32600],
    ['a body that is too large', post(json, JSON.stringify('x'.repeat(1_100_000))), 413, -32600],
    ['another content type', post({ 'content-type': 'text/plain' }, 'hello'), 415, -32000],
    ['an unknown encoding', post({ ...json, 'content-encoding': 'rot13' }, '{}'), 415, -32600],
    ['an unknown charset', post({ ...json, 'content-type': 'application/json; charset=x' }, '{}'), 415, -32600],
    ['a GET', { method: 'GET' }, 405, -32000],
    ['a PUT', { ...post(json, '{}'), method: 'PUT' }, 405, -32000],
    ['a DELETE', { method: 'DELETE' }, 405, -32000],
    ['a page of another site', post({ ...json, origin: 'http://evil.example' }, '{}'), 403, -32000],
    ['a request without its envelope', post(rawHeaders('tools/list'), request('tools/list')), 400, -32602],
  ])('%s', async (_, init, status, code) => {
    const answer = await readAnswer(await fetch(gateway.url, init));
    expect(answer.status).toBe(status);
    expect(answer.type).toContain('application/json');
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code } });
    expect(JSON.stringify(answer.body)).not.toMatch(/\.ts|node_modules|<html/);
  });

  it('a header that contradicts the body', async () => {
    const headers = rawHeaders('tools/call', 'get_state');
    const body = request('tools/call', { name: 'set_climate', arguments: {}, _meta: envelope() });
    const answer = await readAnswer(await fetch(gateway.url, { method: 'POST', headers, body }));
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe(-32020);
  });

  it('a path that nobody serves', async () => {
    const answer = await readAnswer(await fetch(`${gateway.origin}/mpc`));
    expect(answer.status).toBe(404);
    expect(answer.body.error.message).toContain('/mcp');
  });

  it('a method that does not exist', async () => {
    const { status, body } = await rawRpc(gateway.url, 'devices/explode');
    expect(status).toBe(404);
    expect(body.error.code).toBe(-32601);
  });

  it('none of them is a fault of ours', () => {
    expect(gateway.errors).toEqual([]);
  });
});

it('lets nobody in under a name that is not loopback (DNS rebinding)', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(gateway.origin).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
    socket.end('GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1\.1 403/);
});

it('says that it lives', async () => {
  const answer = await fetch(`${gateway.origin}/healthz`);
  expect(await answer.json()).toEqual({ status: 'ok', name: 'readback', version: '0.0.0-test', troubles: [] });
});

describe('listening', () => {
  it('says in one line that a port is taken, and what to change', async () => {
    const taken = Number(new URL(gateway.origin).port);
    const attempt = listen(() => {}, { host: '127.0.0.1', port: taken });
    await expect(attempt).rejects.toThrow(StartError);
    await expect(attempt).rejects.toThrow(new RegExp(`port ${taken} is taken.*--port or server\\.port`));
  });

  it('says that an address is not of this machine', async () => {
    const attempt = listen(() => {}, { host: '192.0.2.1', port: 0 });
    await expect(attempt).rejects.toThrow(/no address 192\.0\.2\.1/);
  });

  it('ends open streams when it closes, and frees the port', async () => {
    const listener = await listen(
      (_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(': open\n\n');
      },
      { host: '127.0.0.1', port: 0 },
    );
    const stream = await fetch(listener.url);
    await listener.close();
    await expect(stream.text()).rejects.toThrow();
    const again = createServer();
    await new Promise<void>((resolve) => again.listen(listener.port, '127.0.0.1', resolve));
    await new Promise((resolve) => again.close(resolve));
  });

  it('lets a call that is being answered end first', async () => {
    const other = await startGateway();
    const submitted = new Promise((resolve) => {
      other.commands.onSubmit = resolve;
    });
    const call = rawCall(other.url, 'set_fan', { power: 'on' });
    await submitted;
    await other.close();
    expect((await call).status).toBe(200);
    await expect(fetch(other.url)).rejects.toThrow();
  });
});

function request(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
}

function envelope(): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

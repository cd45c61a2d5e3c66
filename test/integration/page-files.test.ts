import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageFiles } from '../../gateway/dashboard/page-files.ts';
import { answerErrors, answerNothingHere } from '../../gateway/http/json-errors.ts';

const SCRIPT = 'console.log("a page")';

let folder: string;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-'));
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Builds a page of three files beside a file that is none of it. */
async function build(): Promise<void> {
  await writeFile(join(folder, 'secret.txt'), 'nobody reads this');
  await mkdir(join(folder, 'page', 'assets'), { recursive: true });
  await writeFile(join(folder, 'page', 'index.html'), '<title>Readback</title>');
  await writeFile(join(folder, 'page', 'assets', 'index-AbC123.js'), SCRIPT);
  await writeFile(join(folder, 'page', 'assets', 'index-AbC123.js.gz'), gzipSync(SCRIPT));
}

async function serve(): Promise<void> {
  const app = express().use(pageFiles(join(folder, 'page')));
  app.use(
    answerNothingHere,
    answerErrors(() => {}),
  );
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** Asks for a path as it is written; `fetch` would tidy it up, and unpack what comes. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, method }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('the files of the page', () => {
  beforeEach(async () => {
    await build();
    await serve();
  });

  it('are served at the root; the page itself is looked up each time, what it names never again', async () => {
    const page = await get('/');
    expect(page).toMatchObject({ status: 200, body: '<title>Readback</title>' });
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    const script = await get('/assets/index-AbC123.js');
    expect(script).toMatchObject({ status: 200, body: SCRIPT });
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(script.headers['content-encoding']).toBeUndefined();
  });

  it('come packed where the browser can unpack them', async () => {
    const packed = await get('/assets/index-AbC123.js', { 'accept-encoding': 'br, gzip' });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(gzipSync(SCRIPT).length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const refused = await get('/assets/index-AbC123.js', { 'accept-encoding': 'gzip;q=0' });
    expect(refused.body).toBe(SCRIPT);
  });

  it('are told from a refusal, which is JSON and not packed', async () => {
    const path = '/assets/index-AbC123.js';
    const packed = { 'accept-encoding': 'gzip' };
    for (const [method, more, status] of [
      ['POST', {}, 404],
      ['GET', { range: 'bytes=9000-' }, 416],
      ['GET', { 'if-match': '"another"' }, 412],
    ] as const) {
      const answer = await get(path, { ...packed, ...more }, method);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.body)).toHaveProperty('error');
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers['cache-control']).toBeUndefined();
      expect(answer.headers['content-type']).toBe('application/json');
    }
  });

  it.each(['/../secret.txt', '/assets/../../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets'])(
    'are all that is served: not %s',
    async (path) => {
      const answer = await get(path);
      expect([403, 404]).toContain(answer.status);
      expect(answer.body).not.toContain('nobody reads this');
    },
  );
});

describe('a page that has not been built', () => {
  it('says how it is, to a browser and to a program; and is there once it has been', async () => {
    await serve();
    const told = await get('/', { accept: 'text/html' });
    expect(told.status).toBe(503);
    expect(told.headers['content-type']).toMatch(/^text\/html/);
    expect(told.body).toContain('npm run build');
    expect(JSON.parse((await get('/', { accept: 'application/json' })).body)).toMatchObject({ error: 'not_built' });
    await build();
    expect((await get('/')).status).toBe(200);
  });
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pinnedFetch } from '../../gateway/client/pinned-fetch.ts';
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts';

describe.skipIf(!hasOpenssl)('fetch at a server whose one certificate is known', () => {
  let own: Certificates;
  let other: Certificates;
  let server: Server;
  let url: string;
  const pem = ({ cert }: Certificates) => readFileSync(cert, 'utf8');

  beforeAll(async () => {
    [own, other] = [makeCertificates(), makeCertificates()];
    server = createServer({ cert: pem(own), key: readFileSync(own.key) }, async (req, res) => {
      if (req.url === '/nothing') return void res.writeHead(204).end();
      if (req.url === '/broken') return void res.writeHead(200).write('half', () => res.destroy());
      let body = '';
      for await (const chunk of req) body += chunk;
      res.setHeader('set-cookie', ['a=1', 'b=2']).writeHead(207, { 'x-token': req.headers.authorization ?? '' });
      res.end(`${req.method} ${body}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    url = `https://127.0.0.1:${address.port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    own.remove();
    other.remove();
  });

  it('carries method, headers, body, status and all answers’ headers', async () => {
    const headers = { authorization: 'Bearer secret' };
    const response = await pinnedFetch(pem(own))(url, { method: 'POST', headers, body: 'größer' });
    expect(response.status).toBe(207);
    expect(response.headers.get('x-token')).toBe('Bearer secret');
    expect(response.headers.get('set-cookie')).toBe('a=1, b=2');
    expect(await response.text()).toBe('POST größer');
  });

  it('takes an answer without a body', async () => {
    const response = await pinnedFetch(pem(own))(`${url}/nothing`);
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('trusts no other certificate, and asks nothing of whoever shows one', async () => {
    await expect(pinnedFetch(pem(other))(url)).rejects.toThrow();
  });

  it('fails where it is aborted, or where the answer breaks off', async () => {
    const signal = AbortSignal.abort();
    await expect(pinnedFetch(pem(own))(url, { signal })).rejects.toThrow();
    await expect(pinnedFetch(pem(own))(`${url}/broken`).then((response) => response.text())).rejects.toThrow();
  });
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../../gateway/client/exchange.ts';
import { listApprovals } from '../../gateway/commands/approvals.ts';
import { listen } from '../../gateway/http/listen.ts';
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { openTestDoors, type TestDoors } from '../support/doors.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

/** Begins a handshake and goes no further with it. @returns settles when the connection was closed */
async function stall(port: number): Promise<{ readonly closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  socket.resume().write(Buffer.from([0x16, 0x03, 0x01]));
  return { closed };
}

/** The certificate that is shown there, as PEM. */
async function shownAt(port: number): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.destroy();
  return shown;
}

describe.skipIf(!hasOpenssl)('a gateway with a certificate of its own', () => {
  let files: Certificates;
  let others: Certificates;
  let doors: TestDoors;
  let cert: string;

  beforeAll(async () => {
    files = makeCertificates();
    others = makeCertificates();
    cert = readFileSync(files.cert, 'utf8');
    doors = await openTestDoors({
      configured: [tokenRecord('owner', 'admin')],
      server: { tls: { cert: files.cert, key: files.key } },
      certificate: { cert: readFileSync(files.cert), key: readFileSync(files.key) },
    });
  });

  afterAll(async () => {
    await doors.close();
    files.remove();
    others.remove();
  });

  async function ask(path: string, options: { method?: string; body?: object } = {}) {
    const headers = { 'content-type': 'application/json' };
    const sent = request(doors.origin + path, { ca: readFileSync(files.ca), headers, ...options });
    sent.end(JSON.stringify(options.body));
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it('is served by HTTPS alone, and tells browsers to come no other way', async () => {
    expect(doors.origin).toMatch(/^https:/);
    expect((await ask('/healthz')).headers['strict-transport-security']).toMatch(/^max-age=\d{7,}$/);
    await expect(fetch(doors.origin.replace('https', 'http'))).rejects.toThrow();
  });

  it('has browsers keep the cookie for HTTPS', async () => {
    const { headers } = await ask('/api/session', { method: 'POST', body: { token: tokenOf('owner') } });
    expect(headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  });

  it('is trusted by the commands of its machine for that very certificate, whoever signed it', async () => {
    const daemon = { url: doors.origin, token: tokenOf('owner'), cert };
    expect(await listApprovals(daemon)).toBe('Nothing waits for an answer.');
    // Signed by itself, and for no name at all.
    const [own, key] = [readFileSync(files.ca), readFileSync(files.ca.replace(/pem$/, 'key'))];
    const other = await openTestDoors({ certificate: { cert: own, key } });
    expect(await listApprovals({ url: other.origin, cert: own.toString() })).toBe('Nothing waits for an answer.');
    await other.close();
  });

  it('is not taken for another one', async () => {
    const daemon = { url: doors.origin, token: tokenOf('owner') };
    const wrong = listApprovals({ ...daemon, cert: readFileSync(others.cert, 'utf8') });
    await expect(wrong).rejects.toThrow(/certificate .* is not trusted here/);
    await expect(listApprovals(daemon)).rejects.toThrow(/certificate .* is not trusted here.*NODE_EXTRA_CA_CERTS/);
    // Nor for its authority's other children.
    const signal = AbortSignal.timeout(5_000);
    const parent = exchange(doors.origin, { method: 'GET', headers: {}, signal, cert: readFileSync(files.ca, 'utf8') });
    await expect(parent).rejects.toThrow(/another certificate/);
  });

  it('lets nobody hold a connection by not ending the handshake, and ends with such a one open', async () => {
    const certificate = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
    const at = { host: '127.0.0.1', port: 0 };
    const impatient = await listen(() => {}, at, { certificate, patience: { headersMs: 150, requestMs: 300 } });
    await (await stall(impatient.port)).closed;
    await impatient.close();
    const patient = await listen(() => {}, at, { certificate });
    const held = await stall(patient.port);
    // One that came later is served, so the first has been taken.
    await shownAt(patient.port);
    await Promise.all([held.closed, patient.close()]);
  });

  it('shows a renewed certificate to whoever comes next, and the one before where that cannot be used', async () => {
    const certificate = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
    const renewed = { cert: readFileSync(others.cert), key: readFileSync(others.key) };
    const listener = await listen(() => {}, { host: '127.0.0.1', port: 0 }, { certificate });
    expect(() => listener.renew?.({ ...renewed, key: certificate.key })).toThrow(/^server\.tls: .*PEM files/);
    expect(await shownAt(listener.port)).toBe(certificate.cert.toString());
    listener.renew?.(renewed);
    expect(await shownAt(listener.port)).toBe(renewed.cert.toString());
    await listener.close();
  });

  it('says at the start what is wrong with its files', async () => {
    const at = { host: '127.0.0.1', port: 0 };
    for (const [certFile, keyFile] of [
      [files.cert, others.key],
      [files.key, files.cert],
    ] as const) {
      const certificate = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
      await expect(listen(() => {}, at, { certificate })).rejects.toThrow(/^server\.tls: .*PEM files/);
    }
  });
});

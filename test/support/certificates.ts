import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether certificates can be made here. */
export const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** An authority of one's own, and a certificate that it signed for a server on this machine; all as files. */
export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  remove(): void;
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'readback-certificates-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const authority = ['-x509', '-subj', '/CN=A home authority', '-keyout', file('ca.key'), '-out', file('ca.pem')];
  openssl('req', ...newKey, ...authority);
  const names = ['-subj', '/CN=broker', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const signed = ['-x509', '-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-addext', 'basicConstraints=CA:FALSE'];
  openssl('req', ...newKey, ...names, ...signed, '-keyout', file('key.pem'), '-out', file('cert.pem'));
  return {
    ca: file('ca.pem'),
    cert: file('cert.pem'),
    key: file('key.pem'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

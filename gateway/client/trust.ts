import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';

/**
 * Has a connection trust one certificate and no other, whoever signed it and whatever names it bears: that of the gateway
 * on this machine, which says in its data folder which one it will show.
 * @param cert as PEM
 */
export function trustOnly(cert: string): ConnectionOptions {
  const own = new X509Certificate(cert);
  return {
    ca: cert,
    allowPartialTrustChain: true,
    checkServerIdentity: (_name, shown) =>
      shown.raw.equals(own.raw) ? undefined : new Error('another certificate was shown than the one of the gateway'),
  };
}

import { createHash, randomBytes } from 'node:crypto';
import { LOCAL_PRINCIPAL, type TokenRecord } from './domain/principal.ts';

/**
 * Adds a token of this run to those of the configuration: with it the other commands of the command line come in, for it
 * is kept in the data folder, where only the daemon's own user can read. Where no token is asked for there is none.
 */
export function withLocalToken(tokens: readonly TokenRecord[]): {
  readonly tokens: readonly TokenRecord[];
  readonly localToken?: string;
} {
  if (tokens.length === 0) return { tokens };
  const localToken = randomBytes(32).toString('base64url');
  const sha256 = createHash('sha256').update(localToken).digest('hex');
  return { tokens: [...tokens, { name: LOCAL_PRINCIPAL, sha256, scopes: ['admin'] }], localToken };
}

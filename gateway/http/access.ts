import { createHash, timingSafeEqual } from 'node:crypto';
import { requireBearerAuth } from '@modelcontextprotocol/express';
import { type AuthInfo, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import type { RequestHandler } from 'express';
import { allScopes, type Scope, type TokenRecord } from '../domain/principal.ts';

/** Who may come in, and what for. */
export interface Access {
  /** Turns away whoever shows no token that is known: 401. */
  readonly authenticate: RequestHandler;
  /** Turns away whoever's token does not allow this: 403. */
  require(scope: Scope): RequestHandler;
}

/** A token has no end of its own, and the SDK accepts none without: each request is good for this long, in s. */
const VALID_S = 3_600;

/** Access by bearer tokens; by whoever reaches the gateway where there are none. */
export function createAccess(tokens: readonly TokenRecord[]): Access {
  if (tokens.length === 0) return { authenticate: letIn, require: () => letIn };
  const known = tokens.map((record) => ({ ...record, digest: Buffer.from(record.sha256, 'hex') }));
  const verifier = { verifyAccessToken: async (token: string) => verify(token, known) };
  return {
    authenticate: requireBearerAuth({ verifier }),
    require: (scope) => requireBearerAuth({ verifier, requiredScopes: [scope] }),
  };
}

const letIn: RequestHandler = (_req, _res, next) => next();

function verify(token: string, known: readonly (TokenRecord & { readonly digest: Buffer })[]): AuthInfo {
  const digest = createHash('sha256').update(token).digest();
  // Every record is compared, in constant time, so that the time of an answer says nothing.
  const [found] = known.filter((record) => timingSafeEqual(record.digest, digest));
  if (!found) throw new OAuthError(OAuthErrorCode.InvalidToken, 'This token is not known here');
  return {
    token,
    clientId: found.name,
    scopes: [...allScopes(found.scopes)],
    expiresAt: Math.floor(Date.now() / 1_000) + VALID_S,
  };
}

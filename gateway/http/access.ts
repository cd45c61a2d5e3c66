import { type AuthInfo, bearerAuthChallengeResponse, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { allScopes, LOCAL_PRINCIPAL, type Scope } from '../domain/principal.ts';
import type { Clock } from '../domain/time.ts';
import type { McpRequest } from '../mcp/modern-request.ts';
import type { Guesses } from './guesses.ts';
import { Presence } from './presence.ts';
import { RateLimit, retryAfter } from './rate-limit.ts';
import { type Check, type Refusal, rpcRefusal } from './refusal.ts';
import { isSameOrigin, tokenInCookie } from './session-cookie.ts';
import type { Tokens } from './tokens.ts';

/** Who may come in, how often, and what for. */
export interface Access {
  /** Turns away whoever shows no bearer token that is known (401), and whoever asks too often (429). */
  readonly bearer: Check;
  /** The same, but the cookie of a browser that has signed in will do: for what pages call. */
  readonly bearerOrCookie: Check;
  /** Turns away whoever's token does not allow this: 403. */
  allows(scope: Scope): Check;
  /** Turns away whoever was let in by a request's head and has lost that access by the time its body is there: 401. */
  readonly still: Check;
}

/** How often one principal may ask, and how often one address may show an unknown token. */
export interface AccessLimits {
  readonly clock: Clock;
  readonly requestsPerSecond: number;
  readonly guesses: Guesses;
}

/** The SDK's code for a request that is refused before MCP sees it. */
const REFUSED = -32_000;

/** A principal that rested may ask for this many seconds' worth at once. */
const BURST_S = 2;

/**
 * Access by tokens; by whoever reaches the gateway where there are none.
 * @param limits without them everybody may ask as often as they like
 */
export function createAccess(tokens: Tokens, limits?: AccessLimits): Access {
  const presence = new Presence();
  tokens.onShutOut((principal) => presence.end(principal));
  const tooOften = limits ? paced(limits) : () => undefined;

  const enter = (auth: AuthInfo | undefined, ...[req, res]: Parameters<Check>): Refusal | undefined => {
    if (auth) req.auth = auth;
    const principal = auth?.clientId ?? LOCAL_PRINCIPAL;
    const refusal = tooOften(principal);
    if (!refusal) presence.enter(principal, res);
    return refusal;
  };
  // The token itself goes no further than this.
  const byToken = (token: string, ...[req, res]: Parameters<Check>): Refusal | undefined => {
    const found = tokens.find(token);
    const waitMs = limits?.guesses.judge(req.socket.remoteAddress, found) ?? 0;
    if (waitMs > 0) return guessing(waitMs);
    if (!found) return challenge(new OAuthError(OAuthErrorCode.InvalidToken, 'This token is not known here'));
    return enter({ token: '', clientId: found.name, scopes: [...allScopes(found.scopes)] }, req, res);
  };
  const byBearer: Check = (req, res) => {
    if (!tokens.needed) return enter(undefined, req, res);
    const token = tokenInHeader(req);
    return token instanceof OAuthError ? challenge(token) : byToken(token, req, res);
  };
  const allows =
    (scope: Scope): Check =>
    ({ auth }) =>
      auth && !auth.scopes.includes(scope) ? missingScope(scope) : undefined;
  return {
    bearer: byBearer,
    bearerOrCookie: (req, res) => {
      const token = req.headers.authorization === undefined && tokens.needed ? tokenInCookie(req) : undefined;
      if (token === undefined) return byBearer(req, res);
      if (!isSafe(req) && !isSameOrigin(req)) return foreignPage();
      return byToken(token, req, res);
    },
    allows,
    still: (_req, res) => (presence.hasEnded(res) ? challenge(changed()) : undefined),
  };
}

function tokenInHeader({ headers }: McpRequest): string | OAuthError {
  const { authorization } = headers;
  if (!authorization) return new OAuthError(OAuthErrorCode.InvalidToken, 'Missing Authorization header');
  const [, token] = /^bearer +(\S+)$/i.exec(authorization.trim()) ?? [];
  return token ?? new OAuthError(OAuthErrorCode.InvalidToken, 'Send the header as: Authorization: Bearer TOKEN');
}

function changed(): OAuthError {
  const message = 'This access was ended or changed while the request was arriving: send it again, with a token';
  return new OAuthError(OAuthErrorCode.InvalidToken, message);
}

/** The answer that RFC 6750 wants. */
function challenge(error: OAuthError, requiredScopes: string[] = []): Refusal {
  const { status, headers } = bearerAuthChallengeResponse(error, { requiredScopes });
  return {
    status,
    headers: { 'www-authenticate': headers.get('www-authenticate') ?? 'Bearer' },
    body: error.toResponseObject(),
  };
}

function missingScope(scope: Scope): Refusal {
  const message = `This token does not allow it: it needs the scope ${scope}`;
  return challenge(new OAuthError(OAuthErrorCode.InsufficientScope, message), [scope]);
}

function paced({ clock, requestsPerSecond }: AccessLimits): (principal: string) => Refusal | undefined {
  const limit = new RateLimit({ clock, perSecond: requestsPerSecond, burst: requestsPerSecond * BURST_S });
  return (principal) => {
    const waitMs = limit.take(principal);
    if (waitMs === 0) return undefined;
    const message = `Too many requests of "${principal}": more than server.limits.requests_per_second (${requestsPerSecond})`;
    return rpcRefusal(429, REFUSED, message, retryAfter(waitMs));
  };
}

function guessing(waitMs: number): Refusal {
  const message = 'Too many unknown tokens were shown from this address: wait a little';
  return rpcRefusal(429, REFUSED, message, retryAfter(waitMs));
}

/** Whether a request changes nothing, whoever sends it. */
function isSafe({ method }: McpRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function foreignPage(): Refusal {
  return rpcRefusal(403, REFUSED, 'A page of another origin may not act for the person who signed in');
}

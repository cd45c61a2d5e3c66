import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

const NAME = 'readback_session';

/** How long a browser stays signed in, in s; a token that is revoked ends it at once. */
const LASTS_S = 30 * 24 * 3_600;

/** The token that a browser was given to keep, or undefined. */
export function tokenInCookie({ headers }: IncomingMessage): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === NAME && value !== '') return decoded(value);
  }
  return undefined;
}

/** The header that has a browser keep a token where no script can read it and no other site can send it. */
export function keepCookie(req: IncomingMessage, token: string): string {
  return cookie(req, encodeURIComponent(token), LASTS_S);
}

/** The header that has a browser forget it. */
export function dropCookie(req: IncomingMessage): string {
  return cookie(req, '', 0);
}

function cookie(req: IncomingMessage, value: string, seconds: number): string {
  const secure = isSecure(req) ? '; Secure' : '';
  return `${NAME}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

/**
 * Whether a request comes from a page of this very gateway. SameSite does not say it: for browsers every port of a machine
 * is the same site, and another program may serve pages there.
 */
export function isSameOrigin(req: IncomingMessage): boolean {
  const { origin, host } = req.headers;
  if (req.headers['sec-fetch-site'] === 'same-origin') return true;
  return origin !== undefined && origin === `${isSecure(req) ? 'https' : 'http'}://${host}`;
}

function isSecure({ socket }: IncomingMessage): boolean {
  return socket instanceof TLSSocket;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

import { hostname } from 'node:os';
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import { isLoopback } from '../domain/loopback.ts';
import { type Check, rpcRefusal } from './refusal.ts';

/** By which names the gateway may be called, and by whose pages. */
export interface Names {
  /** The address it listens on. */
  readonly host: string;
  /** Names by which clients call it, without ports, beside this machine's own. */
  readonly allowedHosts?: readonly string[];
  /** Hosts whose web pages may call it, beside its own. */
  readonly allowedOrigins?: readonly string[];
}

/** The SDK's code for a request that came by a door that is not its own. */
const NOT_HERE = -32_000;

/** An address in numbers, as it stands in `Host`: no page can have one for its name and somebody else's for its content. */
const ADDRESS = /^(\[[0-9a-f:.]+\]|\d{1,3}(\.\d{1,3}){3})$/i;

/**
 * Turns away requests under a foreign name, by which a page from elsewhere could get past the browser's rules: 403. Let
 * in are this machine's own names, those that the owner allows and, beyond loopback, addresses in numbers.
 */
export function checkHost({ host, allowedHosts = [] }: Names): Check {
  const lan = !isLoopback(host);
  const own = hostname().toLowerCase();
  const names = new Set([...localhostAllowedHostnames(), host, ...(lan ? [own, `${own}.local`] : []), ...allowedHosts]);
  return ({ headers }) => {
    const name = nameIn(headers.host);
    if (name !== undefined && (names.has(name) || (lan && ADDRESS.test(name)))) return undefined;
    const message =
      name === undefined
        ? 'The request has no Host header that can be read'
        : `Invalid Host: this gateway is not called "${name}"; if it should be, add the name to server.allowed_hosts`;
    return rpcRefusal(403, NOT_HERE, message);
  };
}

/** Turns away what a page sends that is neither the gateway's own nor allowed: 403. */
export function checkOrigin({ host, allowedOrigins = [] }: Names): Check {
  const allowed = [...(isLoopback(host) ? localhostAllowedHostnames() : []), ...allowedOrigins];
  return ({ headers }) => {
    const { origin } = headers;
    if (origin === undefined) return undefined;
    const own = nameIn(headers.host);
    const result = validateOriginHeader(origin, own === undefined ? allowed : [...allowed, own]);
    if (result.ok) return undefined;
    const message = `${result.message}; if pages from there may call this gateway, add their host to server.allowed_origins`;
    return rpcRefusal(403, NOT_HERE, message);
  };
}

/** The name in a `Host` header, without its port; undefined where there is none that can be read. */
function nameIn(header: string | undefined): string | undefined {
  const result = validateHostHeader(header, []);
  return result.ok ? undefined : result.hostname;
}

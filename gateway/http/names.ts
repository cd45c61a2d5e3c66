import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express';
import { localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { RequestHandler } from 'express';
import { isLoopback } from '../domain/loopback.ts';

/** By which names the gateway may be called, and by whose pages. */
export interface Names {
  /** The address it listens on. */
  readonly host: string;
  /** Names by which clients call it, without ports, beside this machine's own. */
  readonly allowedHosts?: readonly string[];
  /** Hosts whose web pages may call it, beside its own. */
  readonly allowedOrigins?: readonly string[];
}

/**
 * Turns away requests under a foreign name, by which a page from elsewhere could get past the browser's rules: 403.
 * Beyond loopback names are only checked where some are given: there every request needs a token, and that page has none.
 */
export function checkHost({ host, allowedHosts = [] }: Names): RequestHandler {
  if (!isLoopback(host) && allowedHosts.length === 0) return (_req, _res, next) => next();
  return hostHeaderValidation([...localhostAllowedHostnames(), host, ...allowedHosts]);
}

/** Turns away what a page sends that is neither the gateway's own nor allowed: 403. */
export function checkOrigin({ host, allowedOrigins = [] }: Names): RequestHandler {
  const allowed = [...(isLoopback(host) ? localhostAllowedHostnames() : []), ...allowedOrigins];
  return (req, res, next) => originValidation([...allowed, req.hostname])(req, res, next);
}

import * as z from 'zod';
import { isLoopback } from '../domain/loopback.ts';
import { strict, text } from './schema-parts.ts';

/** A host as it stands in the headers `Host` and `Origin`, without its port. */
const hostName = z
  .string()
  .regex(
    /^(\[[0-9a-f:]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/i,
    'must be a name or an address without scheme and port: pi.local',
  )
  .toLowerCase();

/** Where the gateway listens, and by which names it may be called. */
export const serverSchema = strict({
  host: text.default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8730),
  /** Names by which clients call the gateway, beside this machine's own; others are turned away. */
  allowed_hosts: z.array(hostName).default([]),
  /** Hosts whose web pages may call the gateway, beside its own. */
  allowed_origins: z.array(hostName).default([]),
});

/** Why nobody but this machine may be let in, or undefined where that is no question. */
export function opennessFlaw(host: string, tokens: number): string | undefined {
  if (tokens > 0 || isLoopback(host)) return undefined;
  return `"${host}" lets other machines in, and there are no tokens that say who may do what: add tokens, or use 127.0.0.1`;
}

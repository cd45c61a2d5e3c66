import * as z from 'zod';
import { isLoopback } from '../domain/loopback.ts';
import { size, strict, text } from './schema-parts.ts';

/** A host as it stands in the headers `Host` and `Origin`, without its port. */
const hostName = z
  .string()
  .regex(
    /^(\[[0-9a-f:]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/i,
    'must be a name or an address without scheme and port: pi.local',
  )
  .toLowerCase();

/** What one client, or all of them together, may ask of the gateway; more is refused. */
const limitsSchema = strict({
  /** The longest body of a request. */
  body: size.prefault('1mb'),
  /** All headers of a request together. */
  headers: size.prefault('16kb'),
  /** Connections that may be open at a time. */
  connections: z.int().min(1).default(4_096),
  /** Streams on which clients listen, of all clients together. */
  streams: z.int().min(1).default(2_048),
  /** Of one principal in the long run; after a rest it may ask for two seconds' worth at once. */
  requests_per_second: z.number().positive().default(500),
});

/** Where the gateway listens, by which names it may be called, and how much it takes. */
export const serverSchema = strict({
  host: text.default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8730),
  /** Names by which clients call the gateway, beside this machine's own; others are turned away. */
  allowed_hosts: z.array(hostName).default([]),
  /** Hosts whose web pages may call the gateway, beside its own, and read what it answers. */
  allowed_origins: z.array(hostName).default([]),
  /** The files of an own certificate, with the chain behind it, and of its key; with them it is served by HTTPS alone. */
  tls: strict({ cert: text, key: text }).optional(),
  limits: limitsSchema.prefault({}),
});

/** Why nobody but this machine may be let in, or undefined where that is no question. */
export function opennessFlaw(host: string, tokens: number): string | undefined {
  if (tokens > 0 || isLoopback(host)) return undefined;
  return `"${host}" lets other machines in, and there are no tokens that say who may do what: add tokens (readback token add NAME, or tokens in the configuration), or use 127.0.0.1`;
}

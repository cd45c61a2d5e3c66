import { createRequire } from 'node:module';
import type undici from 'undici';
import { messageOf } from '../domain/errors.ts';
import { nameLookups } from './name-lookups.ts';

// The package's front door brings in a browser's whole network with it: an eighth of a second of every start on a fast
// machine. Its version is pinned, so these files stay where they are.
const require = createRequire(import.meta.url);
const Client = require('undici/lib/dispatcher/client.js') as typeof undici.Client;
const requestBy = require('undici/lib/api/api-request.js') as undici.Client['request'];
const buildConnector = require('undici/lib/core/connect.js') as typeof undici.buildConnector;

/** One request, ready to leave. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query, below the device's base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The head of an answer, and its body as it comes in. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in small letters; several values of one name are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A connection of its own for one request. Small devices close idle connections when they like, and a command written to
 * one that is just being closed would be neither delivered nor refused; a new connection costs one round trip on the
 * LAN and makes "undelivered" certain. Redirects are not followed, be they to the same device: a command would be sent
 * twice, and a login to somebody else. It has no time limits of its own beyond connecting.
 */
export class HttpConnection {
  readonly #client: undici.Client;
  #stood = false;

  /** @param connectMs how long the attempt to connect may take, TLS included */
  constructor(origin: string, connectMs: number) {
    const connect = buildConnector({ timeout: connectMs, lookup: nameLookups.look });
    this.#client = new Client(origin, {
      pipelining: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) =>
        connect(options, (...outcome) => {
          this.#stood ||= outcome[0] === null;
          callback(...outcome);
        }),
    });
  }

  /** Whether the connection ever stood; until it does, not one byte of the request has reached the device. */
  get stood(): boolean {
    return this.#stood;
  }

  /**
   * Sends the request. Resolves once the head of the answer is there.
   * @param signal ends everything, the body included; what it gives as its reason is thrown
   */
  async request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const answer = await requestBy.call(this.#client, {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body ?? null,
      signal,
    });
    return { status: answer.statusCode, headers: joined(answer.headers), body: answer.body };
  }

  async destroy(): Promise<void> {
    await this.#client.destroy();
  }
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

/** Why an exchange failed, in words. A connection that fails on several addresses has one error for each, and no message. */
export function connectionFault(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ');
  return messageOf(error) || 'the connection failed';
}

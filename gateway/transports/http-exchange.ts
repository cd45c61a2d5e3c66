import { createRequire } from 'node:module';
import type undici from 'undici';
import { messageOf } from '../domain/errors.ts';

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

/** What became of a request. The three cases call for three different conclusions, so none is an exception. */
export type HttpResult =
  | {
      readonly type: 'answer';
      readonly status: number;
      /** Names in small letters; several values of one name are joined. */
      readonly headers: Readonly<Record<string, string>>;
      /** The body as UTF-8; bytes that are none become U+FFFD. */
      readonly text: string;
    }
  /** Certain: not one byte of the request reached the device. */
  | { readonly type: 'undelivered'; readonly detail: string }
  /** No usable answer, but the device may have received the request and may act on it. */
  | { readonly type: 'lost'; readonly detail: string };

/** Bounds of one exchange. */
export interface HttpLimits {
  /** From the attempt to connect to the last byte of the answer, in ms. */
  readonly timeoutMs: number;
  /** Largest body of an answer, in bytes. */
  readonly maxBytes: number;
}

/**
 * One request on a connection of its own. Small devices close idle connections when they like, and a command written to
 * one that is just being closed would be neither delivered nor refused; a new connection costs one round trip on the
 * LAN and makes "undelivered" certain. Redirects are not followed: the device's answer is what is reported.
 */
export async function exchange(
  origin: string,
  request: HttpRequest,
  limits: HttpLimits,
  stop: AbortSignal,
): Promise<HttpResult> {
  let connected = false;
  const connect = buildConnector({ timeout: limits.timeoutMs });
  const client = new Client(origin, {
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) =>
      connect(options, (...outcome) => {
        connected ||= outcome[0] === null;
        callback(...outcome);
      }),
  });
  const abort = new AbortController();
  const onStop = () => abort.abort(stop.reason);
  stop.addEventListener('abort', onStop);
  const timer = setTimeout(() => abort.abort(new Error(`no answer within ${limits.timeoutMs} ms`)), limits.timeoutMs);
  try {
    const answer = await requestBy.call(client, {
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body ?? null,
      signal: abort.signal,
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limits.maxBytes) return { type: 'lost', detail: `the answer is larger than ${limits.maxBytes} bytes` };
      chunks.push(chunk);
    }
    return {
      type: 'answer',
      status: answer.statusCode,
      headers: joined(answer.headers),
      text: new TextDecoder().decode(Buffer.concat(chunks)),
    };
  } catch (error) {
    const detail = describe(abort.signal.aborted ? abort.signal.reason : error);
    return { type: connected ? 'lost' : 'undelivered', detail };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
    await client.destroy();
  }
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

/** A connection that fails on several addresses is an AggregateError without a message of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ');
  return messageOf(error) || 'the connection failed';
}

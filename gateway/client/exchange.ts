import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions as TlsRequestOptions } from 'node:https';
import { eventData } from './event-data.ts';
import type { Message } from './message.ts';
import { trustOnly } from './trust.ts';

/** An answer of the gateway over HTTP: its head, and what follows message by message. */
export interface Exchange {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly messages: AsyncIterable<Message>;
}

/** How an exchange begins. */
export interface ExchangeOptions {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Hears of every comment in an event stream. */
  readonly onComment?: () => void;
  /** The one certificate that is trusted, as PEM, where it is known. */
  readonly cert?: string | undefined;
}

/** The system asks after a connection on which nothing came for this long, in ms: one whose other end is gone breaks. */
const PROBE_MS = 30_000;

/**
 * Sends one request. Not by `fetch`, which gives a stream up when nothing comes for five minutes.
 * @throws the system's error where nobody answers: with the code ECONNREFUSED it is certain that nothing was sent
 */
export async function exchange(
  url: string,
  { method, headers, body, signal, cert, onComment }: ExchangeOptions,
): Promise<Exchange> {
  const options: TlsRequestOptions = {
    ...(cert !== undefined && trustOnly(cert)),
    method,
    signal,
    // A connection of its own: on one that is kept, the end of the gateway could not be told from a lost answer.
    agent: false,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
  };
  const sent = url.startsWith('https:') ? httpsRequest(url, options) : httpRequest(url, options);
  sent.setSocketKeepAlive(true, PROBE_MS);
  // The first error is thrown from here; what goes wrong later is told by the response.
  sent.on('error', () => {});
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    header: (name) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    messages: messagesOf(response, onComment),
  };
}

async function* messagesOf(response: IncomingMessage, onComment?: () => void): AsyncGenerator<Message> {
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    for await (const data of eventData(response, onComment)) yield* parsed(data);
    return;
  }
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  yield* parsed(text);
}

function* parsed(text: string): Generator<Message> {
  if (text === '') return;
  const value: unknown = JSON.parse(text);
  for (const message of Array.isArray(value) ? value : [value]) yield message as Message;
}

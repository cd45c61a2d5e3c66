import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { trustOnly } from './trust.ts';

/** Answers without a body, to which `Response` allows none. */
const BODILESS = new Set([204, 205, 304]);

/** `fetch` for the SDK's transport, at a server whose one certificate is known: the built-in one cannot be told of it. */
export function pinnedFetch(cert: string): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    const sent = request(url, {
      ...trustOnly(cert),
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal && { signal }),
    });
    // The first error is thrown from here; what goes wrong later is told by the response.
    sent.on('error', () => {});
    sent.end(typeof body === 'string' ? body : undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const status = response.statusCode ?? 502;
    const answered = new Headers();
    for (const [name, value] of Object.entries(response.headersDistinct)) answered.set(name, value?.join(', ') ?? '');
    if (!BODILESS.has(status))
      return new Response(Readable.toWeb(response) as ReadableStream, { status, headers: answered });
    response.resume();
    return new Response(null, { status, headers: answered });
  };
}

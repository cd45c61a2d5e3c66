import { connectionFault, HttpConnection, type HttpRequest } from './http-connection.ts';

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

/** One request and its whole answer, on a connection of its own. */
export async function exchange(
  origin: string,
  request: HttpRequest,
  limits: HttpLimits,
  stop: AbortSignal,
): Promise<HttpResult> {
  const connection = new HttpConnection(origin, limits.timeoutMs);
  const abort = new AbortController();
  const onStop = () => abort.abort(stop.reason);
  stop.addEventListener('abort', onStop);
  const timer = setTimeout(() => abort.abort(new Error(`no answer within ${limits.timeoutMs} ms`)), limits.timeoutMs);
  try {
    const { status, headers, body } = await connection.request(request, abort.signal);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > limits.maxBytes) return { type: 'lost', detail: `the answer is larger than ${limits.maxBytes} bytes` };
      chunks.push(chunk);
    }
    return { type: 'answer', status, headers, text: new TextDecoder().decode(Buffer.concat(chunks)) };
  } catch (error) {
    const detail = connectionFault(abort.signal.aborted ? abort.signal.reason : error);
    return { type: connection.stood ? 'lost' : 'undelivered', detail };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', onStop);
    await connection.destroy();
  }
}

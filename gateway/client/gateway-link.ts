import { type Exchange, exchange } from './exchange.ts';

/** Where a gateway can be reached, and the token that opens it, where it asks for one. */
export interface Endpoint {
  /** Its MCP address. */
  readonly url: string;
  readonly token?: string;
  /** Its certificate as PEM, where it serves by HTTPS with one that only its own machine knows. */
  readonly cert?: string;
}

/** One request to the gateway. */
export interface LinkRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** The way to the gateway, wherever it is: it may have been started again elsewhere since. */
export class GatewayLink {
  readonly #locate: () => Promise<Endpoint>;
  #endpoint: Endpoint | undefined;

  /** @param locate finds the gateway; asked again when nobody answers any more, or the token has changed */
  constructor(locate: () => Promise<Endpoint>) {
    this.#locate = locate;
  }

  /** Sends a request, twice only where the first certainly did nothing. @throws what kept it from being answered */
  async send(request: LinkRequest): Promise<Exchange> {
    if (this.#endpoint) {
      const first = await attempt(this.#endpoint, request).catch((error: unknown) => {
        if (!isRefused(error)) throw error;
      });
      if (first && first.status !== 401) return first;
    }
    this.#endpoint = await this.#locate();
    return attempt(this.#endpoint, request);
  }
}

function attempt({ url, token, cert }: Endpoint, { method, headers, body, signal }: LinkRequest): Promise<Exchange> {
  return exchange(url, {
    method,
    signal,
    cert,
    headers: {
      accept: 'application/json, text/event-stream',
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
  });
}

/** Nobody listens there: the request was not even sent. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

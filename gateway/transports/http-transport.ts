import { exchange, type HttpLimits, type HttpRequest, type HttpResult } from './http-exchange.ts';

/** How one device is reached. */
export interface HttpTransportOptions {
  /** Scheme, host and port, perhaps with a path that is put before every request's. */
  readonly base: string;
  /** From the attempt to connect to the end of the answer, in ms; waiting for a free slot does not count. */
  readonly timeoutMs: number;
  /** Requests at a time; with 1 they are strictly one after another. */
  readonly parallel: number;
  /** Largest body of an answer, in bytes; default 1 MiB. */
  readonly maxBytes?: number;
}

/** What the caller has to say about the moment in which a request leaves. */
export interface Departure {
  /** Called right before the first byte may leave, and never for a request that does not leave. */
  readonly onDispatch?: () => void;
  /** Calls the request off as long as it waits for its turn; one that has left is not taken back. */
  readonly signal?: AbortSignal;
}

const ONE_MIB = 1024 * 1024;

/** The way to one HTTP device. No method throws: every outcome is a `HttpResult`. */
export class HttpTransport {
  readonly #base: URL;
  readonly #limits: HttpLimits;
  readonly #parallel: number;
  readonly #stop = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: HttpTransportOptions) {
    this.#base = new URL(options.base);
    this.#limits = { timeoutMs: options.timeoutMs, maxBytes: options.maxBytes ?? ONE_MIB };
    this.#parallel = options.parallel;
  }

  /** Sends a request as soon as a slot is free. */
  async request(request: HttpRequest, departure: Departure = {}): Promise<HttpResult> {
    await this.#takeSlot();
    try {
      if (this.#stop.signal.aborted) return { type: 'undelivered', detail: 'the gateway is shutting down' };
      if (departure.signal?.aborted) return { type: 'undelivered', detail: 'it was called off' };
      departure.onDispatch?.();
      const path = this.#pathBelowBase(request.path);
      return await exchange(this.#base.origin, { ...request, path }, this.#limits, this.#stop.signal);
    } finally {
      this.#freeSlot();
    }
  }

  /** Ends what is under way (as lost or undelivered) and refuses what comes later. */
  close(): void {
    this.#stop.abort(new Error('the gateway is shutting down'));
  }

  #pathBelowBase(path: string): string {
    const below = path.startsWith('/') ? path : `/${path}`;
    // Spaces and other letters that a path cannot hold are escaped by URL.
    const url = new URL(this.#base.origin + this.#base.pathname.replace(/\/$/, '') + below);
    return url.pathname + url.search;
  }

  async #takeSlot(): Promise<void> {
    if (this.#running < this.#parallel) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** A slot that is given back goes to the longest waiting request, so that nobody can slip in between. */
  #freeSlot(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}

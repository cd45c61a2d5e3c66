import type { Clock, Instant } from '../domain/time.ts';
import { Circuit } from './circuit.ts';
import type { HttpRequest } from './http-connection.ts';
import { exchange, type HttpLimits, type HttpResult } from './http-exchange.ts';
import { HttpStream, type StreamListener } from './http-stream.ts';

/** How one device is reached. */
export interface HttpTransportOptions {
  /** Scheme, host and port, perhaps with a path that is put before every request's. */
  readonly base: string;
  /** From the attempt to connect to the end of the answer, in ms; waiting for a free slot does not count. */
  readonly timeoutMs: number;
  /** Requests at a time; with 1 they are strictly one after another. A stream does not count: it is no request that ends. */
  readonly parallel: number;
  /** Largest body of an answer, in bytes; default 1 MiB. */
  readonly maxBytes?: number;
  readonly clock: Clock;
}

/** What the caller has to say about the moment in which a request leaves. */
export interface Departure {
  /** Called right before the first byte may leave, and never for a request that does not leave. */
  readonly onDispatch?: () => void;
  /** Calls the request off as long as it waits for its turn; one that has left is not taken back. */
  readonly signal?: AbortSignal;
  /** A command, or a question of one: it goes before others that wait, and is tried on a device that seems to be gone. */
  readonly urgent?: boolean;
}

const ONE_MIB = 1024 * 1024;

/** The way to one HTTP device. No method throws: every outcome is a `HttpResult`. */
export class HttpTransport {
  readonly #base: URL;
  readonly #limits: HttpLimits;
  readonly #parallel: number;
  readonly #clock: Clock;
  readonly #circuit: Circuit;
  readonly #stop = new AbortController();
  readonly #waiting = { urgent: [] as (() => void)[], others: [] as (() => void)[] };
  #running = 0;

  constructor(options: HttpTransportOptions) {
    this.#base = new URL(options.base);
    this.#limits = { timeoutMs: options.timeoutMs, maxBytes: options.maxBytes ?? ONE_MIB };
    this.#parallel = options.parallel;
    this.#clock = options.clock;
    this.#circuit = new Circuit(options.clock);
  }

  /** Sends a request as soon as a slot is free, unless the device has not answered for a while (see `Circuit`). */
  async request(request: HttpRequest, departure: Departure = {}): Promise<HttpResult> {
    const { urgent = false, signal, onDispatch } = departure;
    await this.#takeSlot(urgent);
    try {
      if (this.#stop.signal.aborted) return { type: 'undelivered', detail: 'the gateway is shutting down' };
      if (signal?.aborted) return { type: 'undelivered', detail: 'it was called off' };
      const note = this.#circuit.admit(urgent);
      if (typeof note === 'string') return { type: 'undelivered', detail: note };
      onDispatch?.();
      const path = this.#pathBelowBase(request.path);
      const result = await exchange(this.#base.origin, { ...request, path }, this.#limits, this.#stop.signal);
      note(result.type === 'answer' ? undefined : result.detail);
      return result;
    } finally {
      this.#freeSlot();
    }
  }

  /**
   * Holds a stream of events open until the transport is closed.
   * @param heartbeatMs longest silence of the stream
   */
  listen(request: HttpRequest, heartbeatMs: number, listener: StreamListener): void {
    const stream = new HttpStream({
      origin: this.#base.origin,
      request: { ...request, path: this.#pathBelowBase(request.path) },
      timeoutMs: this.#limits.timeoutMs,
      heartbeatMs,
      clock: this.#clock,
      listener: {
        onOpen: (askedAt: Instant) => {
          this.#circuit.heard();
          listener.onOpen(askedAt);
        },
        onEvents: (events) => listener.onEvents(events),
        onBreak: (detail) => listener.onBreak(detail),
      },
    });
    this.#stop.signal.addEventListener('abort', () => stream.close());
    void stream.run();
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

  async #takeSlot(urgent: boolean): Promise<void> {
    if (this.#running < this.#parallel) {
      this.#running++;
      return;
    }
    const queue = urgent ? this.#waiting.urgent : this.#waiting.others;
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  /** A slot that is given back goes to the longest waiting request, so that nobody can slip in between. */
  #freeSlot(): void {
    const next = this.#waiting.urgent.shift() ?? this.#waiting.others.shift();
    if (next) next();
    else this.#running--;
  }
}

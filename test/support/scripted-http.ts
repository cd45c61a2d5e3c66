import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the scripted device received it. */
export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** A device that answers as its test says, over a real socket on loopback. */
export class ScriptedHttp {
  /** Every request, in the order in which it arrived. */
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #handlers = new Map<string, Handler>();
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get base(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** What to do on `GET /status`; without one the answer is 404. */
  on(request: string, handler: Handler): this {
    this.#handlers.set(request, handler);
    return this;
  }

  /** Answers `request` with this from now on; objects as JSON. */
  answer(request: string, body: unknown, status = 200): this {
    return this.on(request, (_seen, response) => {
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  /** Resolves once so many requests have arrived. */
  async arrived(count: number): Promise<void> {
    if (this.seen.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', this.base);
    const method = request.method ?? '';
    const seen: SeenRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    this.seen.push(seen);
    for (const waiter of this.#waiting.splice(0)) {
      if (this.seen.length >= waiter.count) waiter.resolve();
      else this.#waiting.push(waiter);
    }
    const handler = this.#handlers.get(`${method} ${url.pathname}`);
    if (handler) await handler(seen, response);
    else response.writeHead(404).end('nothing here');
  }
}

/** An address on loopback where nobody listens. */
export async function deadBase(): Promise<string> {
  const server = await new ScriptedHttp().start();
  const { base } = server;
  await server.stop();
  return base;
}

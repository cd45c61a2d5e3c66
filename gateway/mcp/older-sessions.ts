import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  classifyInboundRequest,
  isInitializeRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { callerWith } from './caller.ts';
import type { McpRequest } from './modern-request.ts';

/** What sessions need. */
export interface OlderSessionsOptions {
  readonly factory: McpServerFactory;
  /** At most this many; one more takes the place of the one that was used longest ago. */
  readonly limit: number;
  /** A session ends when nothing was heard from its client for this long, in ms. A stream that it keeps open counts. */
  readonly idleMs: number;
  readonly onError: (error: Error) => void;
  readonly onRejected: (error: Error) => void;
}

interface Session {
  readonly id: string;
  readonly principal: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly serve: (req: McpRequest, res: ServerResponse, body: unknown) => Promise<void>;
  /** Exchanges under way, streams too. */
  open: number;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Sessions of clients of protocol 2025-11-25 and before: only within one can the gateway put a question to them or tell
 * them of a task. A client that says `initialize` gets one; one that goes on without it is served request by request.
 */
export class OlderSessions {
  readonly #options: OlderSessionsOptions;
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();
  #closed = false;

  constructor(options: OlderSessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Serves a request if it belongs to a session or begins one. @returns whether it did */
  async serve(req: McpRequest, res: ServerResponse, body: unknown): Promise<boolean> {
    const id = req.headers['mcp-session-id'];
    const begins = id === undefined && saysInitialize(body);
    if (this.#closed || !(begins || typeof id === 'string') || !isOlder(req, body)) return false;
    const session = begins ? await this.#begin(req.auth) : this.#sessions.get(String(id));
    // Somebody else's session is as unknown as one that never was.
    if (!session || session.principal !== principalOf(req)) {
      notFound(res);
      return true;
    }
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
    session.open += 1;
    clearTimeout(session.idle);
    try {
      await session.serve(req, res, body);
    } finally {
      session.open -= 1;
      if (session.open === 0) this.#waitFor(session);
    }
    return true;
  }

  /** Ends the streams on which clients only listen; what is being answered goes on. */
  endListening(): void {
    for (const { transport } of this.#sessions.values()) transport.closeStandaloneSSEStream();
  }

  /** Ends every session of a principal, with what is being answered in it. */
  dismiss(principal: string): void {
    for (const session of this.#sessions.values()) {
      if (session.principal === principal) void this.#end(session);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  async #begin(authInfo: AuthInfo | undefined): Promise<Session> {
    const { factory, limit, onError, onRejected } = this.#options;
    while (this.#sessions.size >= limit) await this.#end(this.#leastNeeded());
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
    const server = await factory({ era: 'legacy', ...(authInfo && { authInfo }) });
    await server.connect(transport);
    transport.onerror = onRejected;
    const serve = toNodeHandler(
      {
        async fetch(request, options) {
          const response = await transport.handleRequest(request, options);
          return request.method === 'GET' && response.ok ? listening(request, response, transport) : response;
        },
      },
      { onerror: onError },
    );
    const session: Session = {
      id,
      principal: callerWith(authInfo, {}).principal,
      transport,
      serve,
      open: 0,
      idle: undefined,
    };
    // Also after the client's own DELETE.
    const { onclose } = transport;
    transport.onclose = () => {
      clearTimeout(session.idle);
      this.#sessions.delete(id);
      onclose?.();
    };
    this.#sessions.set(id, session);
    return session;
  }

  #leastNeeded(): Session {
    const sessions = [...this.#sessions.values()];
    return (sessions.find(({ open }) => open === 0) ?? sessions[0]) as Session;
  }

  #waitFor(session: Session): void {
    if (!this.#sessions.has(session.id)) return;
    session.idle = setTimeout(() => void this.#end(session), this.#options.idleMs);
    session.idle.unref();
  }

  async #end({ id, transport }: Session): Promise<void> {
    this.#sessions.delete(id);
    await transport.close().catch(this.#options.onError);
  }
}

/** A look at the method comes first: every request of every client passes here. */
function saysInitialize(body: unknown): boolean {
  const says = typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize';
  return says && isInitializeRequest(body);
}

/**
 * The stream on which a client only listens. It begins with a comment: without a first byte its headers would wait in the
 * socket until there is news, and the client with them. It ends as soon as the client is gone, which may be back at once
 * and can have only one.
 */
function listening(
  { signal }: Request,
  response: Response,
  transport: WebStandardStreamableHTTPServerTransport,
): Response {
  if (response.body === null) return response;
  signal.addEventListener('abort', () => transport.closeStandaloneSSEStream(), { once: true });
  const comment = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
  });
  return new Response(response.body.pipeThrough(comment), response);
}

/** Whether a request is of a protocol that has sessions: a client of 2026-07-28 may send a stray header of one. */
function isOlder(req: McpRequest, body: unknown): boolean {
  const header = (name: string) => {
    const value = req.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const version = header('mcp-protocol-version');
  const method = header('mcp-method');
  const { kind } = classifyInboundRequest({
    httpMethod: req.method ?? 'GET',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(body !== undefined && { body }),
  });
  return kind === 'legacy';
}

function principalOf({ auth }: McpRequest): string {
  return callerWith(auth, {}).principal;
}

function notFound(res: ServerResponse): void {
  const error = { code: -32_001, message: 'Session not found: begin a new one with initialize' };
  res.writeHead(404, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

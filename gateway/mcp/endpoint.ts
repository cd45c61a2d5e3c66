import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { type HomeOfferOptions, homeOffer } from './home-offer.ts';
import { Listening, type ListeningOptions } from './listening.ts';
import type { McpRequest } from './modern-request.ts';
import type { MakeOffer } from './offer.ts';
import { OlderSessions } from './older-sessions.ts';
import { refuseMisshapen } from './param-check.ts';
import { quickGet } from './quick-get.ts';
import { createServerFactory } from './server-factory.ts';

/** What every MCP endpoint needs, whatever it offers. */
export interface EndpointOptions {
  readonly name: string;
  readonly version: string;
  /** Between two signs of life on a stream that a client listens to, in ms; 15,000 by default. */
  readonly keepAliveMs?: number;
  /** Streams on which clients listen that may be open at a time; 2,048 by default. */
  readonly maxStreams?: number;
  /** Tasks and resources that all these streams together may follow; 200,000 by default. */
  readonly maxFollowed?: number;
  /** Sessions of older clients that may be open at a time; 256 by default. */
  readonly maxSessions?: number;
  /** After this long without a word of its client a session ends, in ms; half an hour by default. */
  readonly sessionIdleMs?: number;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
  /** Hears of requests that were no MCP, and of answers that nobody was there to take: other people's faults. */
  readonly onRejected: (error: Error) => void;
}

/** What the MCP endpoint of a home needs. */
export type McpEndpointOptions = EndpointOptions & HomeOfferOptions;

/** MCP over Streamable HTTP, for any server that speaks in Node's requests and responses. */
export interface McpEndpoint {
  /** Serves one request. `body` is its JSON where it has been parsed already. Rejects for a fault of ours alone. */
  handle(req: McpRequest, res: ServerResponse, body?: unknown): Promise<void>;
  /** How many clients listen just now: on streams of 2026-07-28, and in sessions of older protocols. */
  listeners(): { readonly streams: number; readonly sessions: number };
  /** Ends the sessions of a principal who may not come in any more, and what they are about to listen on. */
  dismiss(principal: string): void;
  /** Ends the waits, so that each client is told how far its command has come; then the streams that are left. */
  close(): Promise<void>;
}

/** How long requests that are being answered may take to end when the gateway stops, in ms. */
const CLOSE_GRACE_MS = 1_000;

const LISTENING = { keepAliveMs: 15_000, maxStreams: 2_048, maxFollowed: 200_000 };
const MAX_SESSIONS = 256;
const SESSION_IDLE_MS = 30 * 60_000;

/** Makes the endpoint of a home. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  return serveOffer(homeOffer(options), options);
}

/** Serves an offer: protocol 2026-07-28, and older clients within sessions and without. */
export function serveOffer(makeOffer: MakeOffer, options: EndpointOptions): McpEndpoint {
  const { name, version, onError, onRejected } = options;
  const stopping = new AbortController();
  const offer = makeOffer(stopping.signal);
  const factory = createServerFactory({ name, version, offer, onError });
  const listening = new Listening({ ...LISTENING, ...options, offer, capabilities: capabilitiesBy(factory) });
  listening.start();
  const quick = quickGet(offer.tasks, { name, version });
  const { maxSessions: limit = MAX_SESSIONS, sessionIdleMs: idleMs = SESSION_IDLE_MS } = options;
  const onFault = (error: Error) => (isGone(error) ? onRejected : onError)(error);
  const sessions = new OlderSessions({ factory, limit, idleMs, onError: onFault, onRejected });
  const handler = createMcpHandler(factory, { legacy: 'stateless', responseMode: 'auto', onerror: onRejected });
  const serve = toNodeHandler(handler, { onerror: onFault });
  const open = new Set<Promise<void>>();
  const answer = async (req: McpRequest, res: ServerResponse, body: unknown) => {
    if (refuseMisshapen(res, body)) return;
    if ((await quick(req, res, body)) || (await listening.serve(req, res, body))) return;
    if (!(await sessions.serve(req, res, body))) await serve(req, res, body);
  };
  return {
    async handle(req, res, body) {
      const exchange = answer(req, res, body);
      open.add(exchange);
      await exchange.finally(() => open.delete(exchange));
    },
    listeners: () => ({ streams: listening.size, sessions: sessions.size }),
    dismiss(principal) {
      listening.dismiss(principal);
      sessions.dismiss(principal);
    },
    async close() {
      stopping.abort();
      listening.close();
      sessions.endListening();
      await Promise.race([Promise.allSettled(open), delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
      await sessions.close();
      await handler.close();
    },
  };
}

/** Whether a client went away in the middle of its request, which is no fault of ours. */
function isGone(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNRESET';
}

/** What a new server can do, which may depend on whom it is for. */
function capabilitiesBy(factory: McpServerFactory): ListeningOptions['capabilities'] {
  return async (authInfo) => {
    const server = await factory({ era: 'modern', ...(authInfo && { authInfo }) });
    return (server instanceof McpServer ? server.server : server).getCapabilities();
  };
}

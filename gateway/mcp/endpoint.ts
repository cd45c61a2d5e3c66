import { setTimeout as delay } from 'node:timers/promises';
import { type NodeIncomingMessageLike, type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type HomeOfferOptions, homeOffer } from './home-offer.ts';
import type { MakeOffer } from './offer.ts';
import { createServerFactory } from './server-factory.ts';

/** What every MCP endpoint needs, whatever it offers. */
export interface EndpointOptions {
  readonly name: string;
  readonly version: string;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
  /** Hears of requests that were no MCP, and of answers that nobody was there to take: other people's faults. */
  readonly onRejected: (error: Error) => void;
}

/** What the MCP endpoint of a home needs. */
export type McpEndpointOptions = EndpointOptions & HomeOfferOptions;

/** MCP over Streamable HTTP, for any server that speaks in Node's requests and responses. */
export interface McpEndpoint {
  /** Serves one request. `body` is its JSON where it has been parsed already. Never rejects. */
  handle(req: NodeIncomingMessageLike, res: NodeServerResponseLike, body?: unknown): Promise<void>;
  /** Ends the waits, so that each client is told how far its command has come; then the streams that are left. */
  close(): Promise<void>;
}

/** How long requests that are being answered may take to end when the gateway stops, in ms. */
const CLOSE_GRACE_MS = 1_000;

/** Makes the endpoint of a home. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  return serveOffer(homeOffer(options), options);
}

/** Serves an offer: protocol 2026-07-28, and older clients without sessions. */
export function serveOffer(makeOffer: MakeOffer, options: EndpointOptions): McpEndpoint {
  const { name, version, onError, onRejected } = options;
  const stopping = new AbortController();
  const factory = createServerFactory({ name, version, offer: makeOffer(stopping.signal), onError });
  const handler = createMcpHandler(factory, { legacy: 'stateless', responseMode: 'auto', onerror: onRejected });
  const serve = toNodeHandler(handler, { onerror: onError });
  const open = new Set<Promise<void>>();
  return {
    async handle(req, res, body) {
      const exchange = serve(req, res, body);
      open.add(exchange);
      await exchange.finally(() => open.delete(exchange));
    },
    async close() {
      stopping.abort();
      await Promise.race([Promise.allSettled(open), delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
      await handler.close();
    },
  };
}

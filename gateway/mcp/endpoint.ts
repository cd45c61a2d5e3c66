import { setTimeout as delay } from 'node:timers/promises';
import { type NodeIncomingMessageLike, type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Commands } from '../actuation/commands.ts';
import type { Clock } from '../domain/time.ts';
import { actuationTasks } from './actuation-tasks.ts';
import { homeTools } from './home-tools.ts';
import { createServerFactory } from './server-factory.ts';

/** What the MCP endpoint of a home needs. */
export interface McpEndpointOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly name: string;
  readonly version: string;
  /** How long a call waits for its verdict where the client knows no tasks, in ms; 8,000 by default. */
  readonly inlineWaitMs?: number;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
  /** Hears of requests that were no MCP, and of answers that nobody was there to take: other people's faults. */
  readonly onRejected: (error: Error) => void;
}

/** MCP over Streamable HTTP, for any server that speaks in Node's requests and responses. */
export interface McpEndpoint {
  /** Serves one request. `body` is its JSON where it has been parsed already. Never rejects. */
  handle(req: NodeIncomingMessageLike, res: NodeServerResponseLike, body?: unknown): Promise<void>;
  /** Ends the waits, so that each client is told how far its command has come; then the streams that are left. */
  close(): Promise<void>;
}

/** What a model is told once, on connecting. */
const INSTRUCTIONS =
  'Every command ends in a verdict made from what the device itself reported afterwards. Only "verified" means done; ' +
  'tell the user of any other verdict as it stands. While a task is working, ask get_task; never send the command again.';

const INLINE_WAIT_MS = 8_000;

/** How long requests that are being answered may take to end when the gateway stops, in ms. */
const CLOSE_GRACE_MS = 1_000;

/** Makes the endpoint: protocol 2026-07-28, and older clients without sessions. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { commands, clock, name, version, inlineWaitMs = INLINE_WAIT_MS, onError, onRejected } = options;
  const stopping = new AbortController();
  const factory = createServerFactory({
    name,
    version,
    instructions: INSTRUCTIONS,
    tools: homeTools({ commands, clock, inlineWaitMs, stopping: stopping.signal }),
    tasks: actuationTasks(commands),
    onError,
  });
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

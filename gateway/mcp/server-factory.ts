import {
  type CallToolResult,
  type InputRequiredResult,
  McpServer,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { UserError } from '../domain/errors.ts';
import type { Offer } from './offer.ts';
import { TASKS_EXTENSION } from './task.ts';
import { serveTasks } from './tasks-extension.ts';
import { refused, type Tool, type ToolAnswer } from './tool.ts';
import { wireError } from './wire-error.ts';

/** What servers are made from. */
export interface ServerFactoryOptions {
  readonly name: string;
  readonly version: string;
  readonly offer: Offer;
  /** Hears of faults of ours; the client is told nothing but that there was one. */
  readonly onError: (error: Error) => void;
}

/** How long a client may keep the list of tools, in ms. */
const TOOLS_TTL_MS = 60_000;

/** Makes the factory that the SDK calls for every request (HTTP) or connection (stdio). */
export function createServerFactory({ name, version, offer, onError }: ServerFactoryOptions): McpServerFactory {
  return (context) => {
    const modern = context.era === 'modern';
    const server = new McpServer(
      { name, version },
      {
        instructions: offer.instructions,
        capabilities: {
          tools: { listChanged: false },
          ...(modern && { extensions: { [TASKS_EXTENSION]: {} } }),
        },
        cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
        ...(offer.requestState && { requestState: offer.requestState }),
      },
    );
    for (const feature of offer.features ?? []) feature(server, context);
    // After the features: what the SDK's own registry would answer for the tools is replaced whole.
    serveTools(server, offer.tools, onError);
    if (modern) serveTasks(server, offer.tasks, onError);
    return server;
  };
}

/**
 * Answers `tools/list` and `tools/call` in place of the SDK's own registry, which turns every error of a call into a
 * tool result (also those that JSON-RPC has a code for) and holds a task against the tool's output schema.
 */
function serveTools(server: McpServer, tools: Offer['tools'], onError: ServerFactoryOptions['onError']): void {
  server.server.setRequestHandler('tools/list', () => ({ tools: tools().map((tool) => tool.definition) }));
  server.server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools().find(({ definition }) => definition.name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const answer = await answerOf(tool, params.arguments ?? {}, ctx, onError);
    // The SDK's types have no word for a task in this place; on the wire it passes as given.
    return answer as CallToolResult | InputRequiredResult;
  });
}

async function answerOf(
  tool: Tool,
  args: unknown,
  ctx: ServerContext,
  onError: ServerFactoryOptions['onError'],
): Promise<ToolAnswer> {
  try {
    return await tool.call(args, ctx);
  } catch (error) {
    if (error instanceof UserError) return refused(error);
    throw wireError(error, onError);
  }
}

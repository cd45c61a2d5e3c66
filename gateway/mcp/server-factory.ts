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
import { TASKS_EXTENSION, type TaskSource } from './task.ts';
import { serveTasks } from './tasks-extension.ts';
import { refused, type Tool, type ToolAnswer } from './tool.ts';
import { wireError } from './wire-error.ts';

/** What a server offers; it is the same over every transport and for every protocol revision. */
export interface ServerFactoryOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  /** The tools as they are now. */
  readonly tools: () => readonly Tool[];
  readonly tasks: TaskSource;
  /** Hears of faults of ours; the client is told nothing but that there was one. */
  readonly onError: (error: Error) => void;
}

/** How long a client may keep the list of tools, in ms. */
const TOOLS_TTL_MS = 60_000;

/** Makes the factory that the SDK calls for every request (HTTP) or connection (stdio). */
export function createServerFactory(options: ServerFactoryOptions): McpServerFactory {
  return ({ era }) => {
    const modern = era === 'modern';
    const server = new McpServer(
      { name: options.name, version: options.version },
      {
        instructions: options.instructions,
        capabilities: {
          tools: { listChanged: false },
          ...(modern && { extensions: { [TASKS_EXTENSION]: {} } }),
        },
        cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
      },
    );
    serveTools(server, options);
    if (modern) serveTasks(server, options.tasks, options.onError);
    return server;
  };
}

/**
 * Answers `tools/list` and `tools/call` in place of the SDK's own registry, which turns every error of a call into a
 * tool result (also those that JSON-RPC has a code for) and holds a task against the tool's output schema.
 */
function serveTools(server: McpServer, { tools, onError }: ServerFactoryOptions): void {
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

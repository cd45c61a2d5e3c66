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
import { type Caller, callerOf, olderCallerOf, scopeFlaw } from './caller.ts';
import type { Offer } from './offer.ts';
import { OLDER_TASKS_CAPABILITY, olderSeed, serveOlderTasks } from './older-tasks.ts';
import { canBeFollowed, TASKS_EXTENSION, type TaskSeed } from './task.ts';
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
          tools: { listChanged: modern && offer.events !== undefined },
          ...(modern && { extensions: { [TASKS_EXTENSION]: {} } }),
          ...(!modern && canBeFollowed(offer.tasks) && { tasks: OLDER_TASKS_CAPABILITY }),
        },
        cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
        ...(offer.requestState && { requestState: offer.requestState }),
      },
    );
    for (const feature of offer.features ?? []) feature(server, context, onError);
    // After the features: what the SDK's own registry would answer for the tools is replaced whole.
    if (modern) {
      serveTools(server, offer.tools, onError);
      serveTasks(server, offer.tasks, onError);
    } else serveOlder(server, offer, onError);
    return server;
  };
}

/**
 * Answers `tools/list` and `tools/call` in place of the SDK's own registry, which turns every error of a call into a
 * tool result (also those that JSON-RPC has a code for) and holds a task against the tool's output schema.
 */
function serveTools(server: McpServer, tools: Offer['tools'], onError: ServerFactoryOptions['onError']): void {
  server.server.setRequestHandler('tools/list', (_request, ctx) => ({
    tools: toolsFor(callerOf(ctx), tools).map((tool) => tool.definition),
  }));
  server.server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = toolNamed(params.name, tools);
    const answer = await answerOf(tool, params.arguments ?? {}, ctx, callerOf(ctx), onError);
    // The SDK's types have no word for a task in this place; on the wire it passes as given.
    return answer as CallToolResult | InputRequiredResult;
  });
}

/** The same for protocol 2025-11-25 and before, where a call says whether it wants to be answered with a task. */
function serveOlder(server: McpServer, { tools, tasks }: Offer, onError: ServerFactoryOptions['onError']): void {
  const notices = canBeFollowed(tasks) ? serveOlderTasks(server, tasks, onError) : undefined;
  server.server.setRequestHandler('tools/list', (_request, ctx) => ({
    tools: toolsFor(olderCallerOf(ctx, server), tools).map(olderDefinition),
  }));
  server.server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = toolNamed(params.name, tools);
    // Who asks for a task where none is offered is answered as if they had not.
    const wantsTask = notices !== undefined && params.task !== undefined;
    if (wantsTask && !tool.makesTasks) {
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `${params.name} is answered at once: call it without task`,
      );
    }
    const caller = olderCallerOf(ctx, server, wantsTask);
    const answer = await answerOf(tool, params.arguments ?? {}, ctx, caller, onError);
    if (!isSeed(answer)) return answer as CallToolResult | InputRequiredResult;
    if (ctx.sessionId !== undefined) notices?.follow(answer.taskId, caller);
    return olderSeed(answer) as CallToolResult;
  });
}

function olderDefinition({ definition, makesTasks }: Tool): Tool['definition'] {
  return makesTasks ? { ...definition, execution: { taskSupport: 'optional' } } : definition;
}

function isSeed(answer: ToolAnswer): answer is TaskSeed {
  return answer.resultType === 'task';
}

function toolsFor({ scopes }: Caller, tools: Offer['tools']): readonly Tool[] {
  return tools().filter(({ scope }) => scopes.includes(scope));
}

function toolNamed(name: string, tools: Offer['tools']): Tool {
  const tool = tools().find(({ definition }) => definition.name === name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
  return tool;
}

async function answerOf(
  tool: Tool,
  args: unknown,
  ctx: ServerContext,
  caller: Caller,
  onError: ServerFactoryOptions['onError'],
): Promise<ToolAnswer> {
  try {
    const flaw = scopeFlaw(caller, tool.definition.name, tool.scope);
    if (flaw !== undefined) throw new UserError('not_allowed', flaw);
    return await tool.call(args, ctx, caller);
  } catch (error) {
    if (!(error instanceof UserError)) throw wireError(error, onError);
    // A call that has to be answered with a task cannot be answered with a result.
    if (caller.older?.wantsTask) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    return refused(error);
  }
}

import {
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Scope } from '../domain/principal.ts';
import { type Caller, callerOf, requireScope } from './caller.ts';
import { detailedTask, TASKS_EXTENSION, type TaskSource } from './task.ts';
import { wireError } from './wire-error.ts';

const taskParams = z.looseObject({ taskId: z.string() });

/**
 * Serves `tasks/get`, `tasks/update` and `tasks/cancel` of the Tasks extension (2026-07-28) over any source of tasks.
 * An unknown task is -32602; a client that did not declare the extension with the request gets -32021. An answer may send a
 * command, so whoever answers or cancels needs the scope `control`, as for the tools.
 */
export function serveTasks(server: McpServer, tasks: TaskSource, onError: (error: Error) => void): void {
  // The SDK's own types know `tasks/*` only as the experiment of 2025-11-25; an explicit schema registers the
  // extension's methods of the same names.
  type Handle = (taskId: string, caller: Caller, ctx: ServerContext) => Promise<Result>;
  const serve = (method: string, scope: Scope, handle: Handle) =>
    server.server.setRequestHandler(method, { params: taskParams }, async ({ taskId }, ctx) => {
      try {
        const caller = declaring(ctx);
        requireScope(caller, method, scope);
        return await handle(taskId, caller, ctx);
      } catch (error) {
        throw wireError(error, onError);
      }
    });

  serve('tasks/get', 'read', async (taskId, caller) => {
    const task = await tasks.get(taskId, caller);
    return detailedTask(task ?? unknownTask());
  });
  serve('tasks/update', 'control', async (taskId, caller, ctx) => {
    // The SDK lifts `inputResponses` out of the params of every modern request.
    const known = await tasks.answer(taskId, caller, ctx.mcpReq.inputResponses ?? {});
    return known ? {} : unknownTask();
  });
  serve('tasks/cancel', 'control', async (taskId, caller) => {
    const known = await tasks.cancel(taskId, caller);
    return known ? {} : unknownTask();
  });
}

function declaring(ctx: ServerContext): Caller {
  const caller = callerOf(ctx);
  if (!caller.declaresTasks) throw missingTasks();
  return caller;
}

/** The error for a client that wants something of tasks and did not declare the extension with the request. */
export function missingTasks(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    `Missing required client capability: declare ${TASKS_EXTENSION} with this request`,
  );
}

function unknownTask(): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found: it never existed, or its time is over');
}

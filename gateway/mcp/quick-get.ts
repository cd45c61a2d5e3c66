import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type McpRequest, modernRequest } from './modern-request.ts';
import { detailedTask, type Task, type TaskSource } from './task.ts';

/** Serves a request if it can be answered at once. @returns whether it was */
export type QuickGet = (req: McpRequest, res: ServerResponse, body: unknown) => Promise<boolean>;

/**
 * Answers what clients ask most, `tasks/get` for a task that is there, without a server that is made for the request and
 * thrown away after it: several times as many can ask. It knows that one answer, to the byte as the SDK gives it;
 * whatever else there is to say, every error included, is left to the SDK. A test compares the two.
 */
export function quickGet(tasks: TaskSource, server: { readonly name: string; readonly version: string }): QuickGet {
  const _meta = { [SERVER_INFO_META_KEY]: { name: server.name, version: server.version } };
  // Of a task that has ended there is one object for all who ask, and its JSON is as good for the next one.
  const written = new WeakMap<Task, string>();
  return async (req, res, body) => {
    const request = modernRequest(req, body, 'tasks/get');
    if (!request?.caller.declaresTasks) return false;
    const { taskId, _meta: _, ...more } = request.params;
    if (typeof taskId !== 'string' || req.headers['mcp-name'] !== taskId || Object.keys(more).length > 0) return false;
    // A fault is met again on the other path, and told there.
    const task = await tasks.get(taskId, request.caller).catch(() => undefined);
    if (!task) return false;
    const result = written.get(task) ?? JSON.stringify({ ...detailedTask(task), resultType: 'complete', _meta });
    written.set(task, result);
    const json = `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(request.id)}}`;
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) });
    // As text, so that it leaves in one write with the head.
    res.end(json);
    return true;
  };
}

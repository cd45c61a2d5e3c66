import * as z from 'zod';

const VERSION = '2026-07-28';

/** A request of protocol 2026-07-28 by a client that knows tasks, ready to be sent as it is. */
export interface RpcRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The bench speaks to the wire itself: what a client library costs is not the gateway's. */
export function rpcRequest(method: string, params: Readonly<Record<string, unknown>> = {}): RpcRequest {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'readback-bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const name = params.name ?? params.taskId;
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}

const answerSchema = z.object({ result: z.looseObject({}) });

/** Sends one request and gives its result. @throws Error where the answer is none */
export async function rpc(url: string, request: RpcRequest): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', ...request });
  const text = await response.text();
  const { data } = answerSchema.safeParse(JSON.parse(text));
  if (!data) throw new Error(`${url} answered ${response.status}: ${text}`);
  return data.result;
}

const taskSeed = z.looseObject({ taskId: z.string() });

/** Makes a command. @returns its task's id */
export async function createTask(url: string, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  return taskSeed.parse(await rpc(url, rpcRequest('tools/call', { name: tool, arguments: args }))).taskId;
}

/** Waits until a command has settled. */
export async function awaitSettled(url: string, taskId: string): Promise<void> {
  await rpc(url, rpcRequest('tools/call', { name: 'get_task', arguments: { task_id: taskId, wait_s: 30 } }));
}

import { DispatchError, type JsonRpcResponse, type RawClientDispatch } from '@modelcontextprotocol/ext-tasks/client';
import * as z from 'zod';

const request = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.string().optional(), taskId: z.string().optional() }).optional(),
});

const response = z.union([
  z.object({ id: z.number(), error: z.object({ code: z.int(), message: z.string(), data: z.json().optional() }) }),
  z.object({ id: z.number(), result: z.json() }),
]);

/** A request that says nothing about it ends after this long, in ms. */
const TIMEOUT_MS = 60_000;

/**
 * The way on which the official tasks session sends what the SDK's client cannot: one POST for each request, answered
 * in JSON or as an event stream.
 */
export function httpDispatch(url: string, protocolVersion: string): RawClientDispatch {
  let lastId = 0;
  return async (message, options) => {
    lastId += 1;
    const id = lastId;
    const { method, params } = request.parse(message);
    const timeout = AbortSignal.timeout(options?.context?.requestTimeoutMs ?? TIMEOUT_MS);
    const name = method === 'tools/call' ? params?.name : params?.taskId;
    const answer = await post(url, {
      signal: options?.signal ? AbortSignal.any([timeout, options.signal]) : timeout,
      body: JSON.stringify({ jsonrpc: '2.0', id, method, ...(params && { params }) }),
      headers: headersOf({ method, name, protocolVersion }, options?.context?.headers),
      // Only a question may be put twice: a command that is sent again might act again.
      retryable: method === 'tasks/get',
    });
    return responseOf(id, answer);
  };
}

/** The session brings some of these headers itself, in its own spelling: `Headers` keeps one of each. */
function headersOf(
  about: { method: string; name: string | undefined; protocolVersion: string },
  own: Readonly<Record<string, string>> = {},
): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': about.protocolVersion,
    'mcp-method': about.method,
    ...(about.name !== undefined && { 'mcp-name': about.name }),
  });
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

interface Post {
  readonly body: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly retryable: boolean;
}

async function post(url: string, { retryable, ...init }: Post): Promise<{ status: number; messages: string[] }> {
  try {
    const answer = await fetch(url, { method: 'POST', ...init });
    const text = await answer.text();
    const stream = answer.headers.get('content-type')?.startsWith('text/event-stream');
    return { status: answer.status, messages: stream ? eventData(text) : [text] };
  } catch (error) {
    throw new DispatchError(`no answer from ${url}`, retryable, { cause: error });
  }
}

/** The payloads of an event stream. */
function eventData(stream: string): string[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '');
}

/** The one message that answers the request; the others are notifications on its way. */
function responseOf(id: number, { status, messages }: { status: number; messages: string[] }): JsonRpcResponse {
  for (const message of messages) {
    const { data } = response.safeParse(parsed(message));
    if (data?.id !== id) continue;
    return 'error' in data ? { kind: 'error', error: data.error } : { kind: 'result', result: data.result };
  }
  throw new DispatchError(`HTTP ${status} without an answer to the request`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { DispatchError, type JsonRpcResponse, type RawClientDispatch } from '@modelcontextprotocol/ext-tasks/client';
import * as z from 'zod';
import { messageOf } from '../domain/errors.ts';
import { exchange } from './exchange.ts';
import { closedDoor } from './failure.ts';
import type { Endpoint } from './gateway-link.ts';
import { mirroredHeaders, partsOf } from './message.ts';

const response = z.union([
  z.object({ id: z.number(), error: z.object({ code: z.int(), message: z.string(), data: z.json().optional() }) }),
  z.object({ id: z.number(), result: z.json() }),
]);

/** A request that says nothing about it ends after this long, in ms. */
const TIMEOUT_MS = 60_000;

/**
 * The way on which the official tasks session sends what the SDK's client cannot: one POST for each request, answered
 * in JSON or as an event stream.
 * @param closed aborts what is under way, and lets nothing out any more
 */
export function httpDispatch({ url, token, cert }: Endpoint, closed: AbortSignal): RawClientDispatch {
  let lastId = 0;
  return async (request, options) => {
    lastId += 1;
    const id = lastId;
    const message = { ...z.record(z.string(), z.json()).parse(request), jsonrpc: '2.0', id };
    const parts = partsOf(message);
    const timeout = AbortSignal.timeout(options?.context?.requestTimeoutMs ?? TIMEOUT_MS);
    try {
      const answer = await exchange(url, {
        method: 'POST',
        cert,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...mirroredHeaders(parts),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(message),
        signal: AbortSignal.any([timeout, closed, ...(options?.signal ? [options.signal] : [])]),
      });
      for await (const each of answer.messages) {
        const answered = responseTo(id, each);
        if (answered) return answered;
      }
      const shut = closedDoor(answer.status);
      if (shut) return { kind: 'error', error: shut };
      throw new DispatchError(`${url} answered ${answer.status} without an answer to the request`);
    } catch (error) {
      if (error instanceof DispatchError) throw error;
      // Only a question may be put twice: a command that is sent again might act again.
      const retryable = parts.method === 'tasks/get';
      throw new DispatchError(`no answer from ${url}: ${messageOf(error)}`, retryable, { cause: error });
    }
  };
}

/** The one message that answers the request; the others are notifications on its way. */
function responseTo(id: number, message: unknown): JsonRpcResponse | undefined {
  const { data } = response.safeParse(message);
  if (data?.id !== id) return undefined;
  return 'error' in data ? { kind: 'error', error: data.error } : { kind: 'result', result: data.result };
}

import { contributeTaskFilterV2, readAcceptedTaskIdsV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import * as z from 'zod';
import { CAPABILITIES, type ClientInfo, TASKS_REVISION } from './connection.ts';
import { exchange } from './exchange.ts';
import type { Endpoint } from './gateway-link.ts';
import { type Message, mirroredHeaders, partsOf } from './message.ts';
import { type TaskState, taskStateOf } from './task-state.ts';

/** What comes over a stream: which tasks the server will tell of, then their states. */
export type StreamEvent =
  | { readonly type: 'accepted'; readonly taskIds: readonly string[] }
  | { readonly type: 'task'; readonly task: TaskState };

/** The server tells nothing of tasks by itself: they have to be asked for. */
export class NoStream extends Error {
  override readonly name = 'NoStream';
}

/** What a stream is opened with. */
export interface StreamOptions {
  readonly endpoint: Endpoint;
  readonly info: ClientInfo;
  readonly taskIds: readonly string[];
  /** Ends it. */
  readonly signal: AbortSignal;
}

const STREAM_ID = 'tasks';

const errorSchema = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/**
 * Follows tasks over one `subscriptions/listen`, until either side ends it.
 * @throws NoStream where the server refuses to tell of tasks; the system's error where nobody answers or the connection breaks
 */
export async function* openTaskStream({ endpoint, info, taskIds, signal }: StreamOptions): AsyncGenerator<StreamEvent> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': TASKS_REVISION,
    'io.modelcontextprotocol/clientInfo': { ...info },
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
  };
  const params = contributeTaskFilterV2({ _meta }, taskIds);
  const request = { jsonrpc: '2.0', id: STREAM_ID, method: 'subscriptions/listen', params };
  const answer = await exchange(endpoint.url, {
    method: 'POST',
    cert: endpoint.cert,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...mirroredHeaders(partsOf(request)),
      ...(endpoint.token !== undefined && { authorization: `Bearer ${endpoint.token}` }),
    },
    body: JSON.stringify(request),
    signal,
  });
  for await (const message of answer.messages) {
    const event = eventOf(message);
    if (event) yield event;
    const refusal = errorSchema.safeParse(message).data?.error.message;
    if (refusal !== undefined) throw new NoStream(refusal);
  }
  if (answer.status >= 400 && answer.status < 500) throw new NoStream(`the server answered ${answer.status}`);
}

function eventOf({ method, params }: Message): StreamEvent | undefined {
  if (method === 'notifications/tasks') return { type: 'task', task: taskStateOf(params) };
  if (method === 'notifications/subscriptions/acknowledged') {
    return { type: 'accepted', taskIds: readAcceptedTaskIdsV2(params) };
  }
  return undefined;
}

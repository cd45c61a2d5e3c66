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

/** The server does not tell of these tasks just now, and answers: it can be asked, and be asked for a stream again. */
export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
}

/** What a stream is opened with. */
export interface StreamOptions {
  readonly endpoint: Endpoint;
  readonly info: ClientInfo;
  readonly taskIds: readonly string[];
  /** Hears that the server is there, where it says no more than that. */
  readonly onPing: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const STREAM_ID = 'tasks';

const errorSchema = z.looseObject({ error: z.looseObject({ code: z.number(), message: z.string() }) });
type Refusal = z.output<typeof errorSchema>['error'];

/** JSON-RPC's word for a method that a server does not have. */
const METHOD_NOT_FOUND = -32_601;

/** What HTTP says where there is nothing of the kind. */
const NOTHING_THERE = new Set([404, 405]);

/** Too many requests: one that comes now is one more. */
const TOO_MANY = 429;

/**
 * Follows tasks over one `subscriptions/listen`, until either side ends it.
 * @throws NoStream where the server never tells of tasks; StreamRefused where it does not tell of these now; the system's
 *   error where nobody answers or the connection breaks
 */
export async function* openTaskStream(options: StreamOptions): AsyncGenerator<StreamEvent> {
  const { endpoint, info, taskIds, onPing, signal } = options;
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
    onComment: onPing,
  });
  if (answer.status >= 400) throw refused(answer.status, await refusalIn(answer.messages));
  for await (const message of answer.messages) {
    const refusal = refusalOf(message);
    if (refusal) throw refused(answer.status, refusal);
    const event = eventOf(message);
    if (event) yield event;
  }
}

function refused(status: number, refusal: Refusal | undefined): Error {
  const message = refusal?.message ?? `the server answered ${status}`;
  if (refusal?.code === METHOD_NOT_FOUND || NOTHING_THERE.has(status)) return new NoStream(message);
  return status === TOO_MANY || status >= 500 ? new Error(message) : new StreamRefused(message);
}

const refusalOf = (message: unknown): Refusal | undefined => errorSchema.safeParse(message).data?.error;

async function refusalIn(messages: AsyncIterable<Message>): Promise<Refusal | undefined> {
  try {
    for await (const message of messages) {
      const refusal = refusalOf(message);
      if (refusal) return refusal;
    }
  } catch {
    // A page for people, from whatever stands before the server: its status says enough.
  }
  return undefined;
}

function eventOf({ method, params }: Message): StreamEvent | undefined {
  try {
    if (method === 'notifications/tasks') return { type: 'task', task: taskStateOf(params) };
    if (method === 'notifications/subscriptions/acknowledged') {
      return { type: 'accepted', taskIds: readAcceptedTaskIdsV2(params) };
    }
  } catch {
    // One message that makes no sense is no reason to miss the next.
  }
  return undefined;
}

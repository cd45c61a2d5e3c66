import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createApplicationInputHandler, createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { taskId as idOf } from '@modelcontextprotocol/ext-tasks/core';
import * as z from 'zod';
import { callerName } from './caller.ts';
import type { Endpoint } from './gateway-link.ts';
import { OlderTasks } from './older-tasks.ts';
import { pinnedFetch } from './pinned-fetch.ts';
import { httpDispatch } from './raw-dispatch.ts';
import { type Form, formOf, type TaskState, taskStateOf } from './task-state.ts';

/** The protocol revision with the Tasks extension. */
export const TASKS_REVISION = '2026-07-28';

/** By this name a server says that it honours idempotency keys, and a call carries its key. */
export const IDEMPOTENCY_KEY = 'readback/idempotency-key';

/** What this client can do, as it tells every server. */
export const CAPABILITIES = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** How a client names itself to servers. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** A person's answer to a form: MCP's `ElicitResult`. */
export type FormAnswer = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string | number | boolean | string[]>;
};

/** Puts a question that comes within a request, and is answered within it; `taskId`: the task that asks, if it is one. */
export type AskWithin = (form: Form, taskId: string | null, signal?: AbortSignal) => Promise<FormAnswer>;

/** One call of a tool. */
export interface Call {
  readonly name: string;
  readonly args: z.output<typeof argsSchema>;
  /** Its idempotency key. */
  readonly key: string;
  /** Gives up waiting for the answer after this long, in ms. */
  readonly timeoutMs: number;
  /** Puts the task that the server made on record. The answer is not acted upon before. */
  readonly keep: (taskId: string) => Promise<void>;
}

const argsSchema = z.record(z.string(), z.json());

/** A tool as far as this client has to know it. */
export type ListedTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

/** A connection to one server by the official clients: of MCP, and of its Tasks extension. */
export interface Connection {
  readonly endpoint: Endpoint;
  /** The server's tasks are those of the extension; otherwise those of 2025-11-25, if it has any. */
  readonly modern: boolean;
  /** A call may be made again under the same key: it makes one task. */
  readonly honoursKeys: boolean;
  /** As whom the server takes this client: a call and its task are known to nobody else. */
  readonly caller: string;
  /** @param mode `refresh`: not as they were listed a while ago, for as long as the server allows */
  tools(mode: 'use' | 'refresh'): Promise<readonly ListedTool[]>;
  /** @returns the result where the server answered with one; undefined where it made a task, which has been kept */
  call(call: Call): Promise<unknown>;
  /** Asks after a task once. */
  look(taskId: string, signal: AbortSignal): Promise<TaskState>;
  /** Answers open questions of a task, by their keys. */
  answer(taskId: string, answers: Readonly<Record<string, FormAnswer>>): Promise<void>;
  cancel(taskId: string): Promise<void>;
  /** Lets go of the server once the calls that are under way have been answered. */
  retire(): Promise<void>;
  /** Lets go of the server now. */
  close(): Promise<void>;
}

/** What a connection is made from. */
export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly info: ClientInfo;
  readonly ask: AskWithin;
  /** Hears of what went wrong beside every request. */
  readonly onError: (error: Error) => void;
}

/** Connects to a server. @throws what kept it from answering; it has been asked for no more than what it can do */
export async function connect({ endpoint, info, ask, onError }: ConnectionOptions): Promise<Connection> {
  const { url, token, cert } = endpoint;
  const client = new Client({ ...info }, { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' } });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      ...(cert !== undefined && { fetch: pinnedFetch(cert) }),
    }),
  );
  const modern = client.getProtocolEra() === 'modern';
  const older = modern ? undefined : new OlderTasks(client, ask);
  const { extensions, experimental } = client.getServerCapabilities() ?? {};
  const keys = extensions?.[IDEMPOTENCY_KEY] ?? experimental?.[IDEMPOTENCY_KEY];
  const closed = new AbortController();
  const calls = new Set<Promise<unknown>>();
  const session = createTaskSessionFromClient(client, {
    endpointId: url,
    // Cut off before the session closes: the answer to a call that came later would make it cancel the new task.
    rawDispatch: httpDispatch(endpoint, closed.signal),
    v2RequestFraming: { protocolVersion: TASKS_REVISION, clientInfo: { ...info }, clientCapabilities: CAPABILITIES },
    // Only a server of 2025-11-25 has to be told which calls shall make tasks, by what it lists of its tools.
    ...(modern && { tools: { currentTool: () => undefined } }),
    onError,
    onInputRequest: createApplicationInputHandler({
      elicitation: ({ params }, { taskId = null, signal }) => ask(formOf(params), taskId, signal),
      sampling: () => {
        throw new Error('this client has no model to ask');
      },
      roots: () => ({ roots: [] }),
    }),
  });
  const call = async ({ name, args, key, timeoutMs, keep }: Call): Promise<unknown> => {
    const execution = await session.callTool(name, args, {
      metadata: { [IDEMPOTENCY_KEY]: key },
      requestTimeoutMs: timeoutMs,
      task: { preference: modern ? 'allow' : 'prefer' },
    });
    if (execution.kind === 'task') {
      // From here on this client follows it: the session would ask after each task by itself, and cancel it at its end.
      await execution.handoff(({ taskId }) => keep(taskId));
      return undefined;
    }
    const { outcome } = await execution.settle();
    if (outcome.status === 'completed') return outcome.result;
    throw outcome.status === 'failed' ? outcome.error : new Error('cancelled');
  };
  const close = async () => {
    closed.abort();
    await session.close();
    await client.close();
  };
  return {
    endpoint,
    modern,
    honoursKeys: keys !== undefined,
    caller: callerName(keys, token),
    tools: async (cacheMode) => (await client.listTools(undefined, { cacheMode })).tools,
    async call(wanted) {
      const underWay = call(wanted);
      calls.add(underWay);
      return underWay.finally(() => calls.delete(underWay));
    },
    async look(taskId, signal) {
      const { raw } = await session.task(idOf(taskId)).snapshot(signal);
      const task = taskStateOf(raw);
      return older ? older.complete(task) : task;
    },
    answer: (taskId, answers) => session.task(idOf(taskId)).updateJson(answers),
    cancel: (taskId) => session.cancelTask(idOf(taskId)),
    async retire() {
      await Promise.allSettled(calls);
      await close();
    },
    close,
  };
}

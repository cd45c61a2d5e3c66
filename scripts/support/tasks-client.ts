import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  type ApplicationElicitResult,
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';
import { httpDispatch } from '../../gateway/client/raw-dispatch.ts';

const PROTOCOL_VERSION = '2026-07-28';

/** A connection by the official clients: of MCP, and of its Tasks extension. */
export interface TasksClient {
  readonly client: Client;
  readonly session: TaskEnabledSession;
  /** Ends the connection. The session cancels the tasks that it still follows: hand those off first. */
  close(): Promise<void>;
}

/** How a client presents itself, and what its person answers. */
export interface TasksClientOptions {
  readonly name?: string;
  /** Answers the questions of a task; without it every one is dismissed. */
  readonly onQuestion?: (message: string) => ApplicationElicitResult | Promise<ApplicationElicitResult>;
}

/**
 * Connects to a gateway.
 * @param url its MCP address, as `http://127.0.0.1:8730/mcp`; stored task references belong to it
 */
export async function connectTasksClient(url: string, options: TasksClientOptions = {}): Promise<TasksClient> {
  const { name = 'readback-tasks-client', onQuestion = () => ({ action: 'cancel' }) } = options;
  const clientInfo = { name, version: '1' };
  const capabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const session = createTaskSessionFromClient(client, {
    endpointId: url,
    rawDispatch: httpDispatch({ url }, new AbortController().signal),
    v2RequestFraming: { protocolVersion: PROTOCOL_VERSION, clientInfo, clientCapabilities: capabilities },
    onInputRequest: createApplicationInputHandler({
      elicitation: ({ params }) => onQuestion(String(params.message)),
      sampling: () => {
        throw new Error('this client has no model to ask');
      },
      roots: () => ({ roots: [] }),
    }),
  });
  return {
    client,
    session,
    async close() {
      await session.close();
      await client.close();
    },
  };
}

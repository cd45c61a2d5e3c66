import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { bearer } from './raw-rpc.ts';

/** A question as it reached the person, and the signal by which it is taken back. */
export interface Asked {
  readonly message: string;
  readonly signal: AbortSignal;
}

/** The SDK before this one: protocol 2025-11-25, in a session. */
export interface OlderClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  call(name: string, args: Record<string, unknown>, options?: { timeout?: number }): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Connects it. `onQuestion` makes it a client that can ask its person. */
export async function connectOlderClient(
  url: string,
  onQuestion?: (asked: Asked) => ElicitResult | Promise<ElicitResult>,
  token?: string,
): Promise<OlderClient> {
  const client = new Client({ name: 'older', version: '0' }, { capabilities: onQuestion ? { elicitation: {} } : {} });
  if (onQuestion) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
      onQuestion({ message: params.message, signal }),
    );
  }
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(token) } });
  // The transport declares `sessionId` in a way that exactOptionalPropertyTypes refuses.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return {
    client,
    transport,
    async call(name, args, options) {
      return CallToolResultSchema.parse(await client.callTool({ name, arguments: args }, undefined, options));
    },
    close: () => client.close(),
  };
}

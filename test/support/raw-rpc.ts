/** Protocol 2026-07-28 by hand, so that the tests see what is on the wire and not what a client makes of it. */
const VERSION = '2026-07-28';

/** The capabilities of a client that knows tasks and can ask a person. */
export const TASK_CLIENT = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on whatever the wire carries
  readonly body: any;
  /** Every message of the answer in order: notifications, then the response. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly messages: readonly any[];
}

/** The headers of a request of this protocol. */
export function rawHeaders(method: string, name?: unknown): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

/** The header that shows a token. */
export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Sends one request and reads the whole answer. */
export async function rawRpc(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  options: { capabilities?: object; meta?: object; token?: string; signal?: AbortSignal } = {},
): Promise<RawAnswer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? {},
    ...options.meta,
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...rawHeaders(method, params.name ?? params.taskId ?? params.uri),
      ...bearer(options.token),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    ...(options.signal && { signal: options.signal }),
  });
  return readAnswer(response);
}

/** Reads an answer in either of its forms. */
export async function readAnswer(response: Response): Promise<RawAnswer> {
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const messages = type.startsWith('text/event-stream')
    ? text
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => JSON.parse(line.slice(5)))
    : text === ''
      ? []
      : [JSON.parse(text)];
  return { status: response.status, type, body: messages.at(-1), messages };
}

/** Calls a tool; `params` come beside its name and arguments. */
export function rawCall(
  url: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { params, ...options }: Parameters<typeof rawRpc>[3] & { readonly params?: object } = {},
): Promise<RawAnswer> {
  return rawRpc(url, 'tools/call', { name, arguments: args, ...params }, options);
}

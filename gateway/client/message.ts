import * as z from 'zod';

/** One JSON-RPC message, as far as whoever passes it on has to know it. */
export type Message = Readonly<Record<string, unknown>>;

const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

const shape = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      name: z.string(),
      uri: z.string(),
      taskId: z.string(),
      protocolVersion: z.string(),
      requestId: z.union([z.string(), z.number()]),
      _meta: z.looseObject({ [PROTOCOL_VERSION_KEY]: z.string() }).partial(),
    })
    .partial()
    .optional(),
  result: z.looseObject({ protocolVersion: z.string() }).partial().optional(),
});
type Shape = z.output<typeof shape>;

/** The parts of a message by which it is routed; none of a message that makes no sense, which the gateway refuses. */
export function partsOf(message: Message): Shape {
  return shape.safeParse(message).data ?? {};
}

/** The revision that a message itself names: from 2026-07-28 on every request does. */
export function revisionOf({ params }: Shape): string | undefined {
  const revision = params?._meta?.[PROTOCOL_VERSION_KEY];
  return typeof revision === 'string' ? revision : undefined;
}

/** The headers that repeat what a message says, as Streamable HTTP of 2026-07-28 wants them; none before it. */
export function mirroredHeaders(parts: Shape): Record<string, string> {
  const revision = revisionOf(parts);
  if (revision === undefined || parts.method === undefined) return {};
  const { method, params = {} } = parts;
  const name = method === 'resources/read' ? params.uri : method.startsWith('tasks/') ? params.taskId : params.name;
  return {
    'mcp-protocol-version': headerValue(revision),
    'mcp-method': headerValue(method),
    ...(name !== undefined && { 'mcp-name': headerValue(name) }),
  };
}

/** A text as a header carries it: what is no plain ASCII is wrapped. */
function headerValue(text: string): string {
  const plain = /^(?!=\?)[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

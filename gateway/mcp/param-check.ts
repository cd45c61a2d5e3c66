import type { ServerResponse } from 'node:http';
import {
  isJSONRPCRequest,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  specTypeSchemas,
} from '@modelcontextprotocol/server';

/** Methods whose parameters the SDK checks itself, and tells of a mistake in them as of a fault of the server. */
const REQUEST_TYPES: ReadonlyMap<unknown, keyof typeof specTypeSchemas> = new Map([
  ['initialize', 'InitializeRequest'],
  ['ping', 'PingRequest'],
  ['tools/list', 'ListToolsRequest'],
  ['resources/list', 'ListResourcesRequest'],
  ['resources/templates/list', 'ListResourceTemplatesRequest'],
  ['resources/read', 'ReadResourceRequest'],
]);

/** Those that are gone since 2026-07-28: a request of that revision is told so, whatever its parameters are. */
const OLDER_METHODS: ReadonlySet<string> = new Set(['initialize', 'ping']);

/** Refuses a request whose parameters are of the wrong shape, as -32602. @returns whether it did */
export function refuseMisshapen(res: ServerResponse, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('method' in body)) return false;
  const type = REQUEST_TYPES.get(body.method);
  // A body that is no request at all is refused by the SDK, in its own words.
  if (!type || !isJSONRPCRequest(body) || (OLDER_METHODS.has(body.method) && isModern(body))) return false;
  const checked = specTypeSchemas[type]['~standard'].validate(body);
  if (!checked.issues) return false;
  const what = checked.issues.map(({ path = [], message }) => `${path.map(String).join('.')}: ${message}`).join('; ');
  const error = { code: ProtocolErrorCode.InvalidParams, message: `Invalid params for ${body.method}: ${what}` };
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, error }));
  return true;
}

function isModern({ params }: JSONRPCRequest): boolean {
  return params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
}

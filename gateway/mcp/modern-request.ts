import type { IncomingMessage } from 'node:http';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { classifyInboundRequest, isJsonContentType, type RequestId } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Caller, callerWith } from './caller.ts';

/** The protocol revision whose requests carry all that there is to know about their client. */
export const MODERN_VERSION = '2026-07-28';

/** Node's request, with the token (`auth`) that was checked before it came here. */
export type McpRequest = IncomingMessage & NodeIncomingMessageLike;

/** A request of protocol 2026-07-28 in which nothing is wrong. */
export interface ModernRequest {
  readonly id: RequestId;
  readonly params: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

const paramsSchema = z.looseObject({ _meta: z.looseObject({}) });

/**
 * Recognises a request that the gateway answers in the SDK's place.
 * @param body its JSON
 * @returns undefined for every other request, and for one in which the SDK would find fault: those are left to it, so
 *   that no rule of the protocol has to be written down a second time
 */
export function modernRequest(req: McpRequest, body: unknown, wanted: string): ModernRequest | undefined {
  if (!asksFor(body, wanted) || !isJsonContentType(req.headers['content-type'])) return undefined;
  const version = req.headers['mcp-protocol-version'];
  if (version !== MODERN_VERSION || req.headers['mcp-method'] !== wanted) return undefined;
  const route = classifyInboundRequest({
    httpMethod: req.method ?? '',
    protocolVersionHeader: version,
    mcpMethodHeader: wanted,
    body,
  });
  if (route.kind !== 'modern' || route.messageKind !== 'request' || route.classification.revision !== version) {
    return undefined;
  }
  const { data } = paramsSchema.safeParse(route.message.params);
  if (!data) return undefined;
  return { id: route.message.id, params: data, caller: callerWith(req.auth, data._meta) };
}

function asksFor(body: unknown, method: string): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === method;
}

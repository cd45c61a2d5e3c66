import type { ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { RequestHandler } from 'express';
import type { McpRequest } from '../mcp/modern-request.ts';

declare global {
  namespace Express {
    interface Request {
      /** Whose token the request came with; absent where nobody has to show one. */
      auth?: AuthInfo;
    }
  }
}

/** Why a request goes no further, as it is answered: always JSON. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Looks at the head of a request. @returns why it may not go on, where it may not */
export type Check = (req: McpRequest, res: ServerResponse) => Refusal | undefined;

/** Makes several checks one: the first refusal counts, and those after it are not asked. */
export function all(...checks: readonly Check[]): Check {
  return (req, res) => {
    for (const check of checks) {
      const refusal = check(req, res);
      if (refusal) return refusal;
    }
    return undefined;
  };
}

/** A check as Express wants it. */
export function guard(check: Check): RequestHandler {
  return (req, res, next) => {
    const refusal = check(req, res);
    if (refusal) refuse(res, refusal);
    else next();
  };
}

/** A refusal in the words of JSON-RPC, for what goes wrong before MCP has its turn. */
export function rpcRefusal(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return { status, headers, body: { jsonrpc: '2.0', id: null, error: { code, message } } };
}

/** What may have been said already of the answer that a refusal takes the place of: a file of the page, packed. */
const OF_A_FILE = ['content-encoding', 'content-type', 'cache-control', 'etag', 'last-modified', 'accept-ranges'];

/** Answers with a refusal. */
export function refuse(res: ServerResponse, { status, headers = {}, body }: Refusal): void {
  for (const header of OF_A_FILE) res.removeHeader(header);
  const json = JSON.stringify(body);
  res.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
  });
  res.end(json);
}

import type { ServerResponse } from 'node:http';
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import * as z from 'zod';
import { type Refusal, refuse, rpcRefusal } from './refusal.ts';

/** What Express and its body parser throw of a request that cannot be read; `type` is the parser's word for it. */
const requestError = z.object({ type: z.string().optional(), status: z.number().int().min(400).max(499) });

/** The SDK's code for the same. */
const METHOD_NOT_ALLOWED = -32_000;

/** Answers every path that nobody serves. */
export const answerNothingHere: RequestHandler = (_req, res) => {
  refuse(res, rpcRefusal(404, ProtocolErrorCode.InvalidRequest, 'Nothing here: MCP is served at /mcp'));
};

/** Answers a method of HTTP that nobody serves at a path. */
export function answerMethodNotAllowed(res: Response, allowed: ReadonlySet<string>): void {
  const headers = { allow: [...allowed].join(', ') };
  refuse(res, rpcRefusal(405, METHOD_NOT_ALLOWED, 'Method not allowed', headers));
}

/** Answers in JSON-RPC what goes wrong before a request reaches MCP; Express would answer with a page and a stack. */
export function answerErrors(onError: (error: Error) => void): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const { data } = requestError.safeParse(error);
    if (data) {
      refuse(res, unreadable(data.type, data.status));
      return;
    }
    answerFault(res, error, onError);
  };
}

/** Answers where something went wrong inside, and says no more than that; an answer that has begun is broken off. */
export function answerFault(res: ServerResponse, error: unknown, onError: (error: Error) => void): void {
  onError(error instanceof Error ? error : new Error(String(error)));
  if (res.headersSent) res.destroy();
  else refuse(res, rpcRefusal(500, ProtocolErrorCode.InternalError, "Internal error; the gateway's log says more"));
}

/**
 * The answer to a request that cannot be read.
 * @param type the body parser's word for what is wrong; undefined where it is not the body
 */
export function unreadable(type: string | undefined, status = 400): Refusal {
  switch (type) {
    case 'entity.parse.failed':
      return rpcRefusal(400, ProtocolErrorCode.ParseError, 'Parse error: the body is not JSON');
    case 'entity.too.large':
      return rpcRefusal(413, ProtocolErrorCode.InvalidRequest, 'The request is too large');
    case 'entity.too.deep':
      return rpcRefusal(400, ProtocolErrorCode.InvalidRequest, 'The request is nested too deeply');
    case undefined:
      return rpcRefusal(status, ProtocolErrorCode.InvalidRequest, 'The address cannot be read');
    default:
      return rpcRefusal(status, ProtocolErrorCode.InvalidRequest, `The body cannot be read (${type})`);
  }
}

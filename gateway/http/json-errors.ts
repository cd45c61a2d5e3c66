import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import * as z from 'zod';

/** What Express and its body parser throw of a request that cannot be read; `type` is the parser's word for it. */
const requestError = z.object({ type: z.string().optional(), status: z.number().int().min(400).max(499) });

/** The SDK's code for the same. */
const METHOD_NOT_ALLOWED = -32_000;

/** Answers every path that nobody serves. */
export const answerNothingHere: RequestHandler = (_req, res) => {
  answer(res, 404, ProtocolErrorCode.InvalidRequest, 'Nothing here: MCP is served at /mcp');
};

/** Answers a method of HTTP that nobody serves at a path. */
export function answerMethodNotAllowed(res: Response, allowed: ReadonlySet<string>): void {
  res.set('Allow', [...allowed].join(', '));
  answer(res, 405, METHOD_NOT_ALLOWED, 'Method not allowed');
}

/** Answers in JSON-RPC what goes wrong before a request reaches MCP; Express would answer with a page and a stack. */
export function answerErrors(onError: (error: Error) => void): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const { data } = requestError.safeParse(error);
    if (!data) {
      onError(error instanceof Error ? error : new Error(String(error)));
      answer(res, 500, ProtocolErrorCode.InternalError, "Internal error; the gateway's log says more");
      return;
    }
    switch (data.type) {
      case 'entity.parse.failed':
        answer(res, 400, ProtocolErrorCode.ParseError, 'Parse error: the body is not JSON');
        return;
      case 'entity.too.large':
        answer(res, 413, ProtocolErrorCode.InvalidRequest, 'The request is too large');
        return;
      case 'entity.too.deep':
        answer(res, 400, ProtocolErrorCode.InvalidRequest, 'The request is nested too deeply');
        return;
      case undefined:
        answer(res, data.status, ProtocolErrorCode.InvalidRequest, 'The address cannot be read');
        return;
      default:
        answer(res, data.status, ProtocolErrorCode.InvalidRequest, `The body cannot be read (${data.type})`);
    }
  };
}

function answer(res: Response, status: number, code: number, message: string): void {
  res.status(status).json({ jsonrpc: '2.0', id: null, error: { code, message } });
}

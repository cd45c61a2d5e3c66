import { validateOriginHeader } from '@modelcontextprotocol/server';
import type { RequestHandler } from 'express';
import type { Names } from './names.ts';
import type { Check } from './refusal.ts';

/** What a page may send beside what browsers send of themselves: its token, and what MCP and event streams are made of. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
];

/** What it may read of an answer. */
const ANSWER_HEADERS = ['mcp-session-id', 'www-authenticate', 'retry-after'];

/** How long a browser need not ask again, in s. */
const PREFLIGHT_S = 600;

/**
 * Lets the pages of the hosts that the owner allows read the answers, which is what browsers ask for. They come with a token
 * of their own: the cookie of whoever signed in is never theirs to use.
 */
export function shareAnswers({ allowedOrigins = [] }: Names): Check {
  return ({ headers: { origin } }, res) => {
    if (allowedOrigins.length === 0) return undefined;
    res.setHeader('vary', 'Origin');
    if (!origin || !validateOriginHeader(origin, [...allowedOrigins]).ok) return undefined;
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('access-control-expose-headers', ANSWER_HEADERS.join(', '));
    return undefined;
  };
}

/** Answers the question that a browser asks before such a request; it cannot show a token with it. */
export function answerPreflight(methods: ReadonlySet<string>): RequestHandler {
  const allowed = {
    'access-control-allow-methods': [...methods].join(', '),
    'access-control-allow-headers': REQUEST_HEADERS.join(', '),
    'access-control-max-age': String(PREFLIGHT_S),
  };
  return (req, res, next) => {
    const asks = req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
    if (asks && res.hasHeader('access-control-allow-origin')) res.writeHead(204, allowed).end();
    else next();
  };
}

import type { IncomingMessage, RequestListener } from 'node:http';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import type { McpRequest } from '../mcp/modern-request.ts';
import { isTooDeep } from './json-depth.ts';
import { answerFault, unreadable } from './json-errors.ts';
import { type Check, type Refusal, refuse } from './refusal.ts';

/** What the short way to MCP is made of: the same parts as the way through Express. */
export interface ShortWayOptions {
  readonly mcp: Pick<McpEndpoint, 'handle'>;
  /** All that a request to MCP has to pass before its body is read. */
  readonly check: Check;
  /** What it has to pass once its body is there: seconds may have gone by. */
  readonly recheck: Check;
  /** The longest body that is read, in bytes. */
  readonly bodyBytes: number;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
}

const PLAIN_JSON = /^application\/json(; ?charset=utf-8)?$/i;

/**
 * Leads a message that is sent to MCP as nearly every client sends it, in plain JSON of known length, past Express and its
 * body parser: several times as many can be answered. It knows no rule of its own, so that nothing is allowed on one way
 * that is refused on the other, and a test sends the same requests down both. All else goes `otherwise`.
 */
export function shortWay(options: ShortWayOptions, otherwise: RequestListener): RequestListener {
  const { mcp, check, recheck, bodyBytes, onError } = options;
  return (incoming, res) => {
    const length = plainLength(incoming);
    if (length === undefined || length > bodyBytes) {
      otherwise(incoming, res);
      return;
    }
    // The same object, to which the check of its token adds whose it is.
    const req = incoming as McpRequest;
    const refusal = check(req, res);
    if (refusal) {
      refuse(res, refusal);
      return;
    }
    readAll(req, (body) => {
      const late = recheck(req, res);
      const message = late ? { refusal: late } : parse(body);
      if ('refusal' in message) refuse(res, message.refusal);
      else mcp.handle(req, res, message.json).catch((error: unknown) => answerFault(res, error, onError));
    });
  };
}

/** How long the body is, where it is one that needs no more than `JSON.parse`. */
function plainLength({ method, url, headers }: IncomingMessage): number | undefined {
  if (method !== 'POST' || url !== '/mcp' || headers['content-encoding'] !== undefined) return undefined;
  const length = Number(headers['content-length']);
  return length > 0 && PLAIN_JSON.test(headers['content-type'] ?? '') ? length : undefined;
}

/** Node ends a body at the length that was given; one that is cut off before never arrives. */
function readAll(req: IncomingMessage, then: (body: Buffer) => void): void {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => then(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
  // Its client is gone: there is nobody to answer.
  req.on('error', () => {});
}

/** Drops a byte order mark, as the body parser does. */
const utf8 = new TextDecoder();

function parse(body: Buffer): { readonly json: unknown } | { readonly refusal: Refusal } {
  if (isTooDeep(body)) return { refusal: unreadable('entity.too.deep') };
  try {
    return { json: JSON.parse(utf8.decode(body)) };
  } catch {
    return { refusal: unreadable('entity.parse.failed') };
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';

/** Deeper than any message of MCP by far; what walks through a message does not run out of stack here. */
const DEEPEST = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** A body that is nested too deeply; the body parser hands it on with its status and type. */
class TooDeepError extends Error {
  readonly status = 400;
  readonly type = 'entity.too.deep';
}

/** A body in letters whose bytes are not those of ASCII, so that nobody can count its brackets. */
class CharsetError extends Error {
  readonly status = 415;
  readonly type = 'charset.unsupported';
}

/**
 * Looks at the bytes of a body before they are parsed.
 * @throws CharsetError where they are not UTF-8, which is what JSON is written in
 * @throws TooDeepError where it is nested more deeply than any message has reason to be
 */
export function refuseDeep(_req: IncomingMessage, _res: ServerResponse, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new CharsetError(`JSON is UTF-8, not ${charset}`);
  if (isTooDeep(body)) throw new TooDeepError('nested too deeply');
}

/** Whether JSON is nested more deeply than any message has reason to be. */
export function isTooDeep(json: Uint8Array): boolean {
  return depthOf(json) > DEEPEST;
}

/** How deeply JSON is nested, or a little more than what is allowed. Brackets inside strings do not count. */
export function depthOf(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < json.length && deepest <= DEEPEST; at++) {
    const byte = json[at] ?? 0;
    if (quoted) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (OPENING.has(byte)) {
      depth++;
      deepest = Math.max(deepest, depth);
    } else if (CLOSING.has(byte)) depth--;
  }
  return deepest;
}

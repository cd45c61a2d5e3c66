import { StringDecoder } from 'node:string_decoder';

/** A line that was longer than allowed; what it held is gone. */
export const TOO_LONG = Symbol('a line that was too long');

/**
 * The lines of a stream as they come, without their ends; empty ones are left out, and so is a last one that was cut off.
 * @param limit longest line, in characters, so that a stream without an end of line cannot fill the memory
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<string | typeof TOO_LONG> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let skipping = false;
  for await (const chunk of stream) {
    text += decoder.write(Buffer.from(chunk));
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end).trim();
      text = text.slice(end + 1);
      if (skipping || line.length > limit) yield TOO_LONG;
      else if (line !== '') yield line;
      skipping = false;
    }
    if (text.length > limit) {
      text = '';
      skipping = true;
    }
  }
}

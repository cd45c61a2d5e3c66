import { linesOf, TOO_LONG } from './lines.ts';

/** Longest line of a stream that is read, in characters. */
const LONGEST_LINE = 16_000_000;

/**
 * What the events of a server-sent event stream carry; comments and events without data are left out.
 * @param onComment hears of comments, by which a server keeps its streams alive
 */
export async function* eventData(
  stream: AsyncIterable<Uint8Array>,
  onComment: () => void = () => {},
): AsyncGenerator<string> {
  for await (const line of linesOf(stream, LONGEST_LINE)) {
    // MCP's events are JSON, which is one line of data each.
    if (line === TOO_LONG) continue;
    if (line.startsWith(':')) onComment();
    if (line.startsWith('data:')) {
      const data = line.slice('data:'.length).trim();
      if (data !== '') yield data;
    }
  }
}

import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { RpcRequest } from '../support/rpc.ts';

/**
 * Sends the same request again and again over a number of connections, one after another on each, and counts the
 * answers. It reads no more of them than where they end, so that it can be faster than what it measures.
 * @returns answers per second
 * @throws Error where one is not a 200
 */
export async function load(url: string, request: RpcRequest, connections: number, forMs: number): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  const bytes = Buffer.from(
    [
      `POST ${pathname} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${Buffer.byteLength(request.body)}`,
      '',
      request.body,
    ].join('\r\n'),
  );
  const begun = performance.now();
  const until = begun + forMs;
  const counts = await Promise.all(
    Array.from({ length: connections }, () => hammer(connect(Number(port), hostname), bytes, until)),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total / ((performance.now() - begun) / 1_000);
}

/** One connection's part. */
function hammer(socket: Socket, request: Buffer, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    let received = '';
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.on('data', (part: string) => {
      received += part;
      if (!isWhole(received)) return;
      if (!received.startsWith('HTTP/1.1 200 ')) {
        socket.destroy(new Error(`answered: ${received.slice(0, 300)}`));
        return;
      }
      answers += 1;
      received = '';
      if (performance.now() < until) {
        socket.write(request);
        return;
      }
      resolve(answers);
      socket.destroy();
    });
    socket.write(request);
  });
}

/** Whether an answer has arrived to its end, by its length or its last chunk. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, head))?.[1];
  if (length === undefined) return answer.endsWith('\r\n0\r\n\r\n');
  return answer.length >= head + 4 + Number(length);
}

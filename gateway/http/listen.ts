import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { messageOf, StartError } from '../domain/errors.ts';

/** A server that listens. */
export interface Listener {
  /** Where it can be reached from this machine: `http://127.0.0.1:8730`. */
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, and ends those that are open, streams too. */
  close(): Promise<void>;
}

/**
 * Listens for HTTP.
 * @param at `port` 0 takes any free one
 * @throws StartError that says what to change, where the address cannot be had
 */
export async function listen(app: RequestListener, at: { host: string; port: number }): Promise<Listener> {
  const server = createServer(app);
  server.listen(at.port, at.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw startError(error, at);
  }
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : at.port;
  return { url: `http://${urlHost(at.host)}:${port}`, port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** An address that listens everywhere is reached on this machine by loopback. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function startError(error: unknown, { host, port }: { host: string; port: number }): StartError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return new StartError(startMessage(code, host, port) ?? `cannot listen: ${messageOf(error)}`, 1, { cause: error });
}

function startMessage(code: unknown, host: string, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is taken by another program; choose another with --port or server.port`;
    case 'EACCES':
      return `port ${port} needs rights that this user does not have; choose one above 1023 with --port or server.port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}; choose another with --host or server.host`;
    default:
      return undefined;
  }
}

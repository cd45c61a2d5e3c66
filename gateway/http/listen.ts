import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { messageOf, StartError } from '../domain/errors.ts';

/** A server that listens. */
export interface Listener {
  /** Where it can be reached from this machine: `http://127.0.0.1:8730`. */
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, and ends those that are open, streams too. */
  close(): Promise<void>;
  /**
   * Shows new connections another certificate. Absent where there is none.
   * @throws StartError where it cannot be used; then the one before stays
   */
  readonly renew?: (certificate: Certificate) => void;
}

/** A certificate with the chain behind it, and its key: the contents of PEM files. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** How a server listens. */
export interface ListenOptions {
  /** With it the server speaks TLS alone. */
  readonly certificate?: Certificate;
  /** All headers of a request together, in bytes. */
  readonly headers?: number;
  /** Connections that may be open at a time; more are closed at once. */
  readonly connections?: number;
  /** How long a request may take to arrive: its headers, and all of it, in ms. A handshake of TLS has as long as headers. */
  readonly patience?: { readonly headersMs: number; readonly requestMs: number };
}

/**
 * Whoever sends a request a drop at a time holds its connection no longer than this. A client on a bad network needs a few
 * seconds for a megabyte.
 */
const PATIENCE = { headersMs: 10_000, requestMs: 30_000 };

/**
 * Listens for HTTP, or HTTPS.
 * @param at `port` 0 takes any free one
 * @throws StartError that says what to change, where the address cannot be had or the certificate cannot be used
 */
export async function listen(
  app: RequestListener,
  at: { host: string; port: number },
  options: ListenOptions = {},
): Promise<Listener> {
  const server = createFor(app, options);
  if (options.connections !== undefined) server.maxConnections = options.connections;
  const sockets = trackSockets(server);
  server.listen(at.port, at.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw startError(error, at);
  }
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : at.port;
  const scheme = options.certificate ? 'https' : 'http';
  return {
    url: `${scheme}://${urlHost(at.host)}:${port}`,
    port,
    close: () => close(server, sockets),
    ...(server instanceof TlsServer && {
      renew: (certificate: Certificate) => usable(() => server.setSecureContext(certificate)),
    }),
  };
}

function createFor(
  app: RequestListener,
  { certificate, headers, patience = PATIENCE }: ListenOptions,
): Server | TlsServer {
  const limits: ServerOptions = {
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    // Node looks at its connections this often, and would let a slow one stay for half a minute more.
    connectionsCheckingInterval: Math.ceil(patience.headersMs / 10),
    ...(headers !== undefined && { maxHeaderSize: headers }),
  };
  if (!certificate) return createServer(limits, app);
  return usable(() => createTlsServer({ ...limits, ...certificate, handshakeTimeout: patience.headersMs }, app));
}

/** @throws StartError in words for the owner, where a certificate does not suit */
function usable<Used>(use: () => Used): Used {
  try {
    return use();
  } catch (error) {
    const message = `server.tls: the certificate and its key cannot be used: ${messageOf(error)}; both have to be PEM files, and the key the one of the certificate`;
    throw new StartError(message, 2, { cause: error });
  }
}

/** Every connection, one in its TLS handshake too, of which the server itself knows nothing until it is done. */
function trackSockets(server: Server | TlsServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function close(server: Server | TlsServer, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  for (const socket of sockets) socket.destroy();
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

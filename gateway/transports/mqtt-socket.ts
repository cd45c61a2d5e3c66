import { isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a broker listens, and how it proves who it is. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  /** Present for TLS. Certificates as PEM; without `ca` the machine's own list of authorities counts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** The address as people write it. */
export function brokerUrl({ host, port, tls }: BrokerAddress): string {
  return `${tls ? 'mqtts' : 'mqtt'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * A socket that throws away what it has not sent when it is destroyed. An ordinary one goes on sending in the background
 * until the other side takes it: a command would arrive minutes after the gateway had given it up.
 */
class AbruptSocket extends Socket {
  #resetting = false;

  override destroy(error?: Error): this {
    const inOrder = this.writableFinished && this.readableEnded;
    if (this.#resetting || inOrder || error !== undefined) return super.destroy(error);
    this.#resetting = true;
    return this.resetAndDestroy();
  }
}

/**
 * Connects to a broker, over TLS where the address says so.
 * @param signal gives up
 * @returns the socket, ready for the first packet
 */
export async function openSocket(address: BrokerAddress, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls } = address;
  const tcp = new AbruptSocket();
  let socket: Socket = tcp;
  try {
    const connected = opened(tcp, 'connect', signal);
    tcp.connect({ host, port, noDelay: true });
    await connected;
    if (tls) {
      socket = connectTls({ ...tls, socket: tcp, ...(isIP(host) ? { host } : { host, servername: host }) });
      await opened(socket, 'secureConnect', signal);
    }
    return socket;
  } catch (error) {
    // Destroyed sockets may still report what they had under way.
    socket.on('error', () => {});
    socket.destroy();
    tcp.destroy();
    throw error;
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => () => {
      for (const [name, listener] of listeners) socket.off(name, listener);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = end(() => reject(signal.reason));
    const onError = (error: Error) => end(() => reject(error))();
    const listeners = [
      [event, end(resolve)],
      ['error', onError],
      ['close', end(() => reject(new Error('the broker closed the connection')))],
    ] as const;
    for (const [name, listener] of listeners) socket.on(name, listener);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

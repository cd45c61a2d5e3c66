import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes, type Client } from 'aedes';
import { StartError } from '../core/errors.ts';

/** A broker of the simulator's own. */
export interface Broker {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a broker without a password, for a simulator that is complete alone; port 0 takes any free one.
 * @throws StartError where the address cannot be had
 */
export async function startBroker(host: string, port: number): Promise<Broker> {
  const broker = await Aedes.createBroker();
  broker.on('client', (client) => forgetNumbers(broker, client));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    broker.handle(socket);
  });
  const close = async () => {
    await new Promise<void>((resolve) => broker.close(resolve));
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  try {
    await listen(server, host, port);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `mqtt://${host}:${(server.address() as AddressInfo).port}`, close };
}

/**
 * aedes drops a message whose number is lower than the last one that a client got, for it must have had it already. But
 * a retained message is numbered first and delivered later than others: it would be lost.
 */
function forgetNumbers(broker: Aedes, client: Client): void {
  const { duplicates } = client as Client & { readonly duplicates: object };
  Object.defineProperty(duplicates, broker.id, { get: () => 0, set: () => undefined });
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'it is taken' : error.message;
      reject(
        new StartError(`No broker on port ${port} of ${host}: ${reason}. Choose another port with --broker.`, {
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

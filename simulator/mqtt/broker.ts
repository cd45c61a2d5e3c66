import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';
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

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** Writes to the socket of one request what is to be its answer. */
export type Behaviour = (socket: Socket) => void;

const MEBIBYTE = 1024 * 1024;

/** A plain answer, closed as a small device does. */
export function answering(
  body: string | Uint8Array,
  head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json',
): Behaviour {
  return (socket) => {
    socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    socket.end(body);
  };
}

/** Takes the request and says nothing: a device that lost its power just then. */
export const silent: Behaviour = () => {};

export const reset: Behaviour = (socket) => socket.resetAndDestroy();

export const garbage: Behaviour = (socket) => void socket.end('\x00\x01\x02 what is HTTP?\r\n\r\n');

export const cutShort: Behaviour = (socket) =>
  void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n{"power": "on"');

/** A byte now and then: never silent for long, and never done. */
export const dripping: Behaviour = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 10);
  socket.on('close', () => clearInterval(timer));
};

export const endlessHeaders: Behaviour = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  const write = () => {
    if (!socket.destroyed && socket.write(`X-More: ${'x'.repeat(4_000)}\r\n`)) setImmediate(write);
  };
  socket.on('drain', write);
  write();
};

/** A hundred mebibytes, as fast as they are taken. */
export const huge: Behaviour = (socket) => {
  const chunk = Buffer.alloc(MEBIBYTE / 4, ' ');
  let left = 400;
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${left * chunk.length}\r\n\r\n`);
  const write = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', write);
  write();
};

/** An HTTP server that may do to its client what no library would let it do. */
export class HostileHttp {
  /** Method and path of every request, in order. */
  readonly seen: string[] = [];
  /** Bytes that clients took, over all connections. */
  taken = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #behave: (request: string) => Behaviour;

  /** @param behave what to do on `GET /status` */
  constructor(behave: (request: string) => Behaviour) {
    this.#behave = behave;
    this.#server = createServer((socket) => this.#join(socket));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(socket: Socket): void {
    this.#sockets.add(socket);
    let heard = '';
    let answered = false;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.taken += socket.bytesWritten - socket.writableLength;
      this.#sockets.delete(socket);
    });
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      const [head = '', body] = heard.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (answered || body === undefined || body.length < length) return;
      answered = true;
      const [request = ''] = /^\S+ \S+/.exec(head) ?? [];
      this.seen.push(request);
      this.#behave(request)(socket);
    });
  }
}

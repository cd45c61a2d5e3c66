import { connect, createServer, type Server, type Socket } from 'node:net';

type Direction = 'up' | 'down';

/** Stands between a client and its server: counts what is said, holds it back, and cuts the line. */
export class TcpProxy {
  readonly #target: number;
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly client: Socket; readonly server: Socket }>();
  readonly #held = new Set<Direction>();
  readonly #seen: Record<Direction, Buffer[]> = { up: [], down: [] };
  readonly #waiting: (() => void)[] = [];
  /** How many clients have connected so far. */
  connections = 0;

  constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** How many times a text was said in one direction, over all connections; what is held back counts too. */
  times(text: string, direction: Direction = 'up'): number {
    return Buffer.concat(this.#seen[direction]).toString('latin1').split(text).length - 1;
  }

  /** Resolves when `fits` holds; looked at whenever something is said or somebody comes or goes. */
  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** From now on nothing gets through in this direction, on connections to come either. */
  hold(direction: Direction): void {
    this.#held.add(direction);
  }

  /** What was held back is lost; what is said from now on gets through. */
  release(): void {
    this.#held.clear();
  }

  /** Breaks every connection. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    const pair = { client, server };
    this.#pairs.add(pair);
    this.connections += 1;
    for (const [from, to, direction] of [
      [client, server, 'up'],
      [server, client, 'down'],
    ] as const) {
      from.on('data', (bytes) => {
        this.#seen[direction].push(bytes);
        if (!this.#held.has(direction)) to.write(bytes);
        this.#changed();
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
        this.#changed();
      });
    }
    this.#changed();
  }

  #changed(): void {
    for (const goOn of this.#waiting.splice(0)) goOn();
  }
}

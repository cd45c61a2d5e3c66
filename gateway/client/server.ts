import { type ClientInfo, type Connection, type ConnectionOptions, connect } from './connection.ts';
import { type Follower, Following } from './following.ts';
import type { Endpoint } from './gateway-link.ts';

/** What a server is reached and followed with. */
export interface ServerOptions extends Omit<ConnectionOptions, 'endpoint'> {
  readonly info: ClientInfo;
  /** Finds it, wherever it is by now. @throws NoServer where it is not to be found */
  readonly locate: () => Promise<Endpoint>;
  readonly follower: Follower;
}

/** One server: the connection of now, made when it is needed and again after a failure, and its tasks that are followed. */
export class Server {
  readonly #options: ServerOptions;
  readonly #following: Following;
  #connection: Promise<Connection> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { info, follower } = options;
    this.#following = new Following({
      connect: () => this.connect(),
      failed: (connection) => this.failed(connection),
      info,
      follower,
    });
  }

  /** The connection of now, or a new one. @throws what kept the server from answering */
  connect(): Promise<Connection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  /** A request over this connection has failed on its way: the server may be elsewhere by now, or another. */
  failed(connection: Connection): void {
    const current = this.#connection;
    void current?.then(
      (open) => {
        if (open !== connection || this.#connection !== current) return;
        this.#connection = undefined;
        void connection.retire().catch(() => {});
      },
      // One that is just being made and fails is told to whoever asked for it.
      () => {},
    );
  }

  follow(taskId: string): void {
    this.#following.add(taskId);
  }

  async close(): Promise<void> {
    this.#following.stop();
    const connection = await this.#connection?.catch(() => undefined);
    this.#connection = undefined;
    // Whether the server hears of it does not matter: it keeps nothing that a connection has to end.
    await connection?.close().catch(() => {});
  }

  async #open(): Promise<Connection> {
    try {
      return await connect({ ...this.#options, endpoint: await this.#options.locate() });
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes, type AuthenticateError, type Client } from 'aedes';
import { messageOf, StartError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';

export interface EmbeddedBrokerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Whoever connects has to know both; without them everybody may. */
  readonly login?: { readonly username: string; readonly password: string };
  readonly log: Log;
}

/** An MQTT 3.1.1 broker in this process. What it has kept (retained messages) lives as long as the process. */
export interface EmbeddedBroker {
  readonly port: number;
  close(): Promise<void>;
}

/** How long a stranger may take to say who he is, in ms. */
const CONNECT_MS = 10_000;
/** How long a client may leave its messages unread before it is cut off, in ms. */
const DRAIN_MS = 10_000;
/** CONNACK's code for a bad user name or password. */
const BAD_LOGIN = 4;

/** @throws StartError where the port cannot be had, in words for the person who starts the gateway */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { host, login, log } = options;
  const broker = new Aedes({
    connectTimeout: CONNECT_MS,
    drainTimeout: DRAIN_MS,
    authenticate: (client, username, password, done) => {
      if (!login || (same(username, login.username) && same(password, login.password))) return done(null, true);
      log.warn({ client: client.id }, 'a client of the embedded broker has no valid login');
      const refusal: AuthenticateError = Object.assign(new Error('bad user name or password'), {
        returnCode: BAD_LOGIN,
      });
      done(refusal, null);
    },
  });
  broker.on('client', keepEveryMessage(broker));
  broker.on('clientError', (client, error) =>
    log.debug({ client: client.id, error: error.message }, 'an MQTT client failed'),
  );
  broker.on('connectionError', (_client, error) =>
    log.debug({ error: error.message }, 'an MQTT client did not connect'),
  );
  await broker.listen();
  const server = createServer((socket) => void broker.handle(socket));
  try {
    await listen(server, host, options.port);
  } catch (error) {
    await closeBroker(broker);
    throw startError(error, options);
  }
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on('close', () => sockets.delete(socket));
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : options.port;
  log.info({ host, port }, 'the embedded broker listens');
  return {
    port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await closeBroker(broker);
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * aedes guards against sending one message twice to a client by a counter that must only grow. But a message that is kept,
 * or has QoS 1, takes longer inside than one that has neither: overtaken by such a one, it counts as sent and is lost.
 * Without the guard a client whose own filters overlap gets a message once for each of them, as MQTT allows.
 */
function keepEveryMessage(broker: Aedes): (client: Client) => void {
  return (client) => {
    const { duplicates } = client as Client & { readonly duplicates: object };
    Object.defineProperty(duplicates, broker.id, { get: () => 0, set: () => {} });
  };
}

/** Compares in the same time whatever is given, so that a guess learns nothing. */
function same(given: string | Buffer | undefined, wanted: string): boolean {
  const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given ?? ''), digest(wanted));
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeBroker(broker: Aedes): Promise<void> {
  return new Promise((resolve) => broker.close(resolve));
}

function startError(error: unknown, { host, port }: EmbeddedBrokerOptions): StartError {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const advice = taken
    ? `port ${port} is taken, perhaps by a broker such as mosquitto: point mqtt.broker at it (broker: mqtt://127.0.0.1:${port}), or choose another mqtt.embedded.port`
    : `${messageOf(error)}; check mqtt.embedded.host and mqtt.embedded.port`;
  return new StartError(`the embedded broker cannot listen on ${host}:${port}: ${advice}`, 1, { cause: error });
}

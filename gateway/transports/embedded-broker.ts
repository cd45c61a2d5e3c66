import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes, type AedesOptions, type AuthenticateError, type Client } from 'aedes';
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
/** How much a stranger may say before he is let in, in bytes. */
const STRANGER_BYTES = 64 * 1024;
/** How long a client may leave its messages unread before it is cut off, in ms. */
const DRAIN_MS = 10_000;
/** CONNACK's code for a bad user name or password. */
const BAD_LOGIN = 4;

/** @throws StartError where the port cannot be had, in words for the person who starts the gateway */
export async function startEmbeddedBroker(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
  const { host, login, log } = options;
  const id = randomUUID();
  const { admit, authorizeForward } = singleCopies(id);
  const broker = new Aedes({
    id,
    authorizeForward,
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
  broker.on('client', admit);
  broker.on('clientError', (client, error) =>
    log.debug({ client: client.id, error: error.message }, 'an MQTT client failed'),
  );
  broker.on('connectionError', (_client, error) =>
    log.debug({ error: error.message }, 'an MQTT client did not connect'),
  );
  await broker.listen();
  const server = createServer((socket) => {
    const client = broker.handle(socket);
    // A packet is collected whole before it is looked at: a stranger could fill the memory with one.
    socket.on('readable', () => {
      if (!client.connected && socket.bytesRead > STRANGER_BYTES) socket.destroy();
    });
  });
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

/** Messages that a client is remembered to have got: copies of one message follow each other closely. */
const REMEMBERED = 1_000;

/**
 * Sends a message once to a client whose filters overlap. aedes has a guard of its own for this: a counter of messages
 * that must only grow. But a message that is kept, or has QoS 1, takes longer inside than one that has neither; overtaken
 * by such a one it counts as sent, and is lost. So that guard is put out of action, and this one remembers each message.
 */
function singleCopies(brokerId: string): {
  readonly admit: (client: Client) => void;
  readonly authorizeForward: NonNullable<AedesOptions['authorizeForward']>;
} {
  const sent = new WeakMap<Client, Set<number>>();
  return {
    admit: (client) => {
      sent.set(client, new Set());
      const { duplicates } = client as Client & { readonly duplicates: object };
      Object.defineProperty(duplicates, brokerId, { get: () => 0, set: () => {} });
    },
    authorizeForward: (client, packet) => {
      const counters = sent.get(client);
      const { brokerCounter } = packet;
      if (!counters || brokerCounter === undefined) return packet;
      if (counters.has(brokerCounter)) return null;
      const [oldest] = counters;
      if (oldest !== undefined && counters.size >= REMEMBERED) counters.delete(oldest);
      counters.add(brokerCounter);
      return packet;
    },
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

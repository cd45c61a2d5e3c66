import type { Socket } from 'node:net';
import { type IClientOptions, MqttClient } from 'mqtt';
import { messageOf } from '../domain/errors.ts';
import { MqttSession, type MqttVersion, reasonCodeOf, SHUTTING_DOWN } from './mqtt-session.ts';
import { type BrokerAddress, openSocket } from './mqtt-socket.ts';

export interface SessionOptions {
  readonly address: BrokerAddress;
  readonly clientId: string;
  readonly username?: string;
  readonly password?: string;
  /** What the broker publishes, retained, when the connection breaks. */
  readonly will: { readonly topic: string; readonly payload: string };
  /** From the attempt to connect to the broker's consent, in ms. */
  readonly connectTimeoutMs: number;
  /** How long the broker may owe an acknowledgement before the connection counts as dead, in ms. */
  readonly ackTimeoutMs: number;
  /** Silence after which the broker is asked whether it is there, in ms; whole seconds. */
  readonly keepaliveMs: number;
}

/** Why there is no session, by what can be done about it. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  /** `version`: the broker does not speak this version of the protocol, or hung up at it without a word. */
  readonly kind: 'unreachable' | 'version' | 'login' | 'refused';

  constructor(kind: SessionError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Bytes of a packet from the broker; an MQTT 5 broker keeps what is larger to itself. */
const PACKET_MAX = 1024 * 1024;

/** Reason codes of CONNACK, of MQTT 5 and of 3.1.1. */
const VERSION_CODES = [1, 132];
const LOGIN_CODES = [4, 5, 134, 135];

/**
 * Opens one connection to the broker: in MQTT 5, or in 3.1.1 where the broker does not know it.
 * @param preferred 4 leaves out the attempt that a broker is known to refuse
 * @param signal gives up
 * @throws SessionError
 */
export async function openSession(
  options: SessionOptions,
  preferred: MqttVersion,
  signal: AbortSignal,
): Promise<MqttSession> {
  try {
    return await openInVersion(options, preferred, signal);
  } catch (error) {
    // Old brokers hang up on a version that they do not know.
    if (preferred === 4 || !(error instanceof SessionError) || error.kind !== 'version') throw error;
    return await openInVersion(options, 4, signal);
  }
}

async function openInVersion(options: SessionOptions, version: MqttVersion, signal: AbortSignal): Promise<MqttSession> {
  const limit = new AbortController();
  const giveUp = () => limit.abort(new Error(SHUTTING_DOWN));
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  const { connectTimeoutMs } = options;
  const late = new Error(`no answer within ${connectTimeoutMs} ms`);
  const timer = setTimeout(() => limit.abort(late), connectTimeoutMs);
  let socket: Socket | undefined;
  try {
    const open = await openSocket(options.address, limit.signal);
    socket = open;
    const client = new MqttClient(() => open, clientOptions(options, version));
    await consent(client, limit.signal);
    return new MqttSession(client, open, version, options.ackTimeoutMs);
  } catch (error) {
    socket?.destroy();
    if (error instanceof SessionError) throw error;
    throw new SessionError('unreachable', describe(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/**
 * The package's own client lives for one connection: what it would keep to send again later goes with it. A command is
 * never sent late and never twice.
 */
function clientOptions(options: SessionOptions, version: MqttVersion): IClientOptions {
  const { clientId, username, password, will, keepaliveMs, connectTimeoutMs } = options;
  return {
    protocolVersion: version,
    clientId,
    clean: true,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    keepalive: Math.ceil(keepaliveMs / 1000),
    connectTimeout: connectTimeoutMs,
    will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(version === 5 ? { properties: { maximumPacketSize: PACKET_MAX } } : {}),
  };
}

/** Resolves when the broker takes us in. */
function consent(client: MqttClient, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Kept for good: an error that nobody hears would end the process.
    client.on('error', (error) => reject(refusal(error)));
    client.once('connect', () => resolve());
    client.once('close', () => reject(new SessionError('version', 'the broker hung up without a word')));
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
}

function refusal(error: Error): SessionError {
  const code = reasonCodeOf(error);
  if (code === undefined) return new SessionError('version', `the broker does not answer in MQTT: ${error.message}`);
  if (VERSION_CODES.includes(code)) return new SessionError('version', 'the broker speaks another version of MQTT');
  if (LOGIN_CODES.includes(code)) return new SessionError('login', 'the broker refuses the login');
  return new SessionError('refused', `the broker refuses: ${error.message}`);
}

/** A connection that fails on several addresses is an AggregateError without a message of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}

import { readFileSync } from 'node:fs';
import type { MqttConfig } from './config/schema-mqtt.ts';
import { messageOf, StartError } from './domain/errors.ts';
import type { Log } from './domain/log.ts';
import type { Clock } from './domain/time.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from './transports/embedded-broker.ts';
import { createMqttLink, type MqttLinkOptions } from './transports/mqtt-broker-link.ts';
import type { MqttLink } from './transports/mqtt-link.ts';
import { brokerUrl } from './transports/mqtt-socket.ts';

/** The home's MQTT at work. */
export interface Mqtt {
  readonly link: MqttLink;
  /** Where clients reach the broker, as far as this machine can tell. */
  readonly brokerUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts the embedded broker, where it is wanted, and the connection to the broker. A broker that cannot be reached is no
 * failure: it is tried again for good.
 * @throws StartError where a certificate cannot be read, or the embedded broker cannot have its port
 */
export async function startMqtt(config: MqttConfig, deps: { clock: Clock; log: Log }): Promise<Mqtt> {
  const { broker, embedded } = config.embedded
    ? await embed(config.embedded, deps.log)
    : { broker: external(config.broker), embedded: null };
  const link = createMqttLink({ ...broker, ...deps, statusTopic: config.status_topic });
  await link.start();
  return {
    link,
    brokerUrl: brokerUrl(broker.address),
    stop: async () => {
      await link.stop();
      await embedded?.close();
    },
  };
}

type BrokerOptions = Omit<MqttLinkOptions, 'clock' | 'log' | 'statusTopic'>;

/** Addresses that stand for every interface: this machine's own is one of them. */
const ANYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

async function embed(
  config: NonNullable<MqttConfig['embedded']>,
  log: Log,
): Promise<{ broker: BrokerOptions; embedded: EmbeddedBroker }> {
  const { host, port, username, password } = config;
  const login = username !== undefined && password !== undefined ? { username, password } : undefined;
  const embedded = await startEmbeddedBroker({ host, port, log, ...(login ? { login } : {}) });
  return { broker: { address: { host: ANYWHERE[host] ?? host, port: embedded.port }, ...login }, embedded };
}

function external(config: NonNullable<MqttConfig['broker']>): BrokerOptions {
  const { host, port, tls, username, password, client_id } = config;
  return {
    address: { host, port, ...(tls ? { tls: readFiles(tls) } : {}) },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(client_id === undefined ? {} : { clientId: client_id }),
  };
}

/** The PEM texts in the place of the files' names. */
function readFiles<Files extends object>(files: Files): { readonly [Key in keyof Files]: string } {
  const texts = Object.entries(files).map(([key, file]) => {
    try {
      return [key, readFileSync(String(file), 'utf8')];
    } catch (error) {
      throw new StartError(`mqtt.${key} cannot be read: ${messageOf(error)}`, 2, { cause: error });
    }
  });
  return Object.fromEntries(texts);
}

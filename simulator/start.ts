import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type Clock, systemClock } from './core/clock.ts';
import { copyOf, MOST_COPIES, severalOf } from './core/copies.ts';
import { parseInput } from './core/errors.ts';
import { milliseconds } from './core/fault.ts';
import { SimulatedHome } from './core/home.ts';
import { HTTP_MODELS } from './core/models.ts';
import { listen, simulatorApp } from './http/server.ts';
import { type MqttFace, type MqttOptions, startMqttFace } from './mqtt/face.ts';
import { stations } from './mqtt/stations.ts';

/** How a simulator is started; everything has a default. */
export interface SimulatorOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** How long the devices take to act, 0 to an hour; default 4,000. */
  readonly delayMs?: number;
  /** The most that is added to the delay at random, 0 to an hour; default 0. */
  readonly jitterMs?: number;
  /** How many devices of each kind there are, 1 to 100; default 1. */
  readonly copies?: number;
  /** Of the random numbers; default 1. */
  readonly seed?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: none, and only the HTTP devices. */
  readonly mqtt?: MqttOptions;
}

/** A simulator that runs. */
export interface Simulator {
  /** Without a slash at the end. */
  readonly url: string;
  /** Where its MQTT devices are, and when all of them have announced themselves; null without them. */
  readonly mqtt: Omit<MqttFace, 'close'> | null;
  /** The same that the control API offers, for programs in this process. */
  readonly home: SimulatedHome;
  /** Ends connections and everything under way. */
  close(): Promise<void>;
}

/**
 * Starts the simulated home and its faces.
 * @throws InputError where an option is out of range
 * @throws StartError where the address cannot be had
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, delayMs = 4_000, jitterMs = 0, seed = 1, clock = systemClock } = options;
  const timing = { delay_ms: parseInput(milliseconds(), delayMs), jitter_ms: parseInput(milliseconds(), jitterMs) };
  const copies = parseInput(z.int().min(1).max(MOST_COPIES), options.copies ?? 1);
  const plans = options.mqtt ? stations(copies) : [];
  const onBroker = plans.flatMap(({ dialects }) => dialects.map(({ model }) => model));
  const models = [...severalOf(HTTP_MODELS, copies, copyOf), ...onBroker];
  const home = new SimulatedHome({ models, clock, timing, seed });
  const server = await listen(simulatorApp(home, clock), host, port);
  const closeHttp = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  try {
    const mqtt = options.mqtt ? await startMqttFace({ home, clock, plans }, options.mqtt) : null;
    return {
      url: urlOf(server.address() as AddressInfo),
      mqtt: mqtt && { url: mqtt.url, announced: mqtt.announced },
      home,
      async close() {
        await mqtt?.close();
        home.stop();
        await closeHttp();
      },
    };
  } catch (error) {
    await closeHttp();
    throw error;
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

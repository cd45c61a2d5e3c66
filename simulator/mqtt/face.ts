import type { Clock } from '../core/clock.ts';
import { InputError, messageOf } from '../core/errors.ts';
import type { SimulatedHome } from '../core/home.ts';
import { type Broker, startBroker } from './broker.ts';
import { Station, type StationPlan } from './station.ts';

/** Where the MQTT devices find their broker: one that runs, or one that the simulator brings along. */
export type MqttOptions = (
  | {
      /** mqtt:// or mqtts://, with user and password where it wants them; a promise for a broker that starts later. */
      readonly url: string | Promise<string>;
    }
  | {
      /** Default 127.0.0.1, and any free port. */
      readonly broker: { readonly host?: string; readonly port?: number };
    }
) & {
  /** Told why there is no connection, each reason once; the devices go on trying. */
  readonly onTrouble?: (detail: string) => void;
};

/** What the MQTT devices are part of. */
export interface MqttWorld {
  readonly home: SimulatedHome;
  readonly clock: Clock;
  readonly plans: readonly StationPlan[];
}

/** The MQTT devices at work. */
export interface MqttFace {
  /** The broker's, once it is known. */
  readonly url: Promise<string>;
  /** Resolves when every device has announced itself; while the broker cannot be reached it stays open. */
  readonly announced: Promise<void>;
  /** The devices go as if their power was cut; the simulator's own broker ends. */
  close(): Promise<void>;
}

/**
 * Puts a home's MQTT devices on a broker, each where its station's plan says. One that cannot be reached is no error: they go on trying.
 * @throws InputError where the URL is none of a broker
 * @throws StartError where the simulator's own broker cannot have its address
 */
export async function startMqttFace({ home, clock, plans }: MqttWorld, options: MqttOptions): Promise<MqttFace> {
  const broker = 'broker' in options ? await ownBroker(options.broker) : null;
  const given = 'url' in options ? options.url : (broker?.url ?? '');
  const url = typeof given === 'string' ? Promise.resolve(brokerUrl(given)) : given.then(brokerUrl);
  const onTrouble = once(options.onTrouble ?? (() => undefined));
  const stations = plans.map((plan) => new Station(plan, { home, clock, onTrouble }));
  const started = url.then(
    (known) => stations.map((station) => station.start(known)),
    (error: unknown) => onTrouble(messageOf(error)),
  );
  if (typeof given === 'string') await started;
  return {
    url,
    announced: Promise.all(stations.map((station) => station.announced)).then(() => undefined),
    async close() {
      await Promise.all(stations.map((station) => station.stop()));
      await broker?.close();
    },
  };
}

function ownBroker({ host = '127.0.0.1', port = 0 }: { host?: string; port?: number }): Promise<Broker> {
  return startBroker(host, port);
}

function brokerUrl(text: string): string {
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' };
  if (protocol === 'mqtt:' || protocol === 'mqtts:') return text;
  throw new InputError(`${JSON.stringify(text)} is no broker: write mqtt://host:1883 or mqtts://host:8883`);
}

function once(told: (detail: string) => void): (detail: string) => void {
  const known = new Set<string>();
  return (detail) => {
    if (known.has(detail)) return;
    known.add(detail);
    told(detail);
  };
}

import { SimulatedHome } from '../../simulator/core/home.ts';
import { Speaker } from '../../simulator/mqtt/speaker.ts';
import { stations } from '../../simulator/mqtt/stations.ts';
import { ManualClock } from './simulator-clock.ts';

/** What a device said, and how long after the last `mark`. */
export interface Said {
  readonly ms: number;
  readonly topic: string;
  /** Parsed where it is JSON. */
  readonly payload: unknown;
  readonly retain: boolean;
}

/** One MQTT device in virtual time, with everything it says written down instead of published. */
export class SpokenDevice {
  readonly clock = new ManualClock();
  readonly home: SimulatedHome;
  readonly #speaker: Speaker;
  readonly #id: string;
  #said: Said[] = [];
  #mark = this.clock.now().mono;

  constructor(id: string, delayMs = 4_000) {
    this.#id = id;
    const dialects = stations(1).flatMap((station) => station.dialects);
    this.home = new SimulatedHome({
      models: dialects.map(({ model }) => model),
      clock: this.clock,
      timing: { delay_ms: delayMs, jitter_ms: 0 },
      seed: 1,
    });
    const dialect = dialects.find(({ model }) => model.id === id);
    if (!dialect) throw new Error(`no MQTT device ${id}`);
    this.#speaker = new Speaker(dialect, {
      device: this.home.device(id),
      clock: this.clock,
      publish: ({ topic, payload, retain }) =>
        this.#said.push({ ms: this.clock.now().mono - this.#mark, topic, payload: parsed(payload), retain }),
    });
    this.#speaker.start();
  }

  greet(): void {
    this.#speaker.greet();
  }

  arm(fault: string, options: Readonly<Record<string, number>> = {}): void {
    this.home.arm(this.#id, fault, options);
  }

  hear(topic: string, payload: unknown): void {
    this.#speaker.hear(topic, typeof payload === 'string' ? payload : JSON.stringify(payload));
  }

  /** Lets time pass. @returns what was said since it was last asked */
  after(ms: number): readonly Said[] {
    this.clock.advance(ms);
    return this.#said.splice(0);
  }

  /** A command, everything said in the time that follows, as time and payload of the messages on one topic. */
  ask(topic: string, payload: unknown, on: string, forMs = 10_000): readonly (readonly [number, unknown])[] {
    this.#said = [];
    this.#mark = this.clock.now().mono;
    this.hear(topic, payload);
    return this.after(forMs)
      .filter((said) => said.topic === on)
      .map((said) => [said.ms, said.payload] as const);
  }

  stop(): void {
    this.#speaker.stop();
    this.home.stop();
  }
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

import type { DeviceModel, State } from '../core/model.ts';
import type { Message } from './message.ts';

/** What a message asks of one device; `what` names it where it has to be refused. */
export type Demand =
  | { readonly type: 'command'; readonly what: string; readonly body: unknown }
  | { readonly type: 'query'; readonly what: string; readonly fields: readonly string[] }
  /** Nothing that it knows. */
  | { readonly type: 'unknown'; readonly what: string; readonly detail: string };

/** What a message means to a device. */
export type Meaning =
  | Demand
  /** Say again how you stand, in a while. */
  | { readonly type: 'repeat'; readonly afterMs: number };

/** Why a device speaks. */
export type Occasion = 'first' | 'report' | 'echo' | 'answer' | 'repeat';

/** Something that is said about a command before the device has acted. */
export interface Echo {
  readonly afterMs: number;
  /** The commanded values as if they were true, or what is true at that time. */
  readonly shows: 'wanted' | 'present';
}

/** How one device speaks MQTT: its topics and payloads, as data and functions without a memory. */
export interface Dialect {
  readonly model: DeviceModel;
  /** Topic filters on which it hears. */
  readonly filters: readonly string[];
  /** Discovery, said whenever it has a connection. */
  readonly announcement: readonly Message[];
  /** How long after the announcement it first says how it stands: those who saw it announced listen by then. */
  readonly firstStateAfterMs: number;
  /** How often it says so unasked, however little has happened. */
  readonly repeatEveryMs: number;
  readonly echoes: readonly Echo[];
  /** How long a question or a refusal takes on its way. */
  readonly answersAfterMs: number;
  /**
   * It shows what was last said, commanded values included, and learns field by field from what the device reports: a
   * bridge with a cache. Otherwise every message shows the device as it stands.
   */
  readonly caches: boolean;
  /** What it says of whether it can be reached; empty where that is left to the connection's last will. */
  availability(reachable: boolean): readonly Message[];
  state(state: State, occasion: Occasion): readonly Message[];
  /** @returns null where the message is for somebody else */
  understand(topic: string, payload: string, shown: State): Meaning | null;
  refuse(demand: Demand, detail: string): readonly Message[];
}

/** A text that may be JSON, such as a raw number. */
export function parseLoosely(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

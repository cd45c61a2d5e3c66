import type { Heard } from '../support/broker-ear.ts';
import type { GroundTruth, Sensors } from '../support/simulator-control.ts';
import type { CommandResult } from './command-result.ts';

/** One expectation, held against what happened. */
export interface Check {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  readonly passed: boolean;
}

/** How a command stood at one moment, or what befell the gateway then. */
export interface Row {
  /** Since the call, in ms. */
  readonly at_ms: number;
  /** The task's status; `gateway` where something was done to the gateway itself. */
  readonly status: string;
  readonly message: string;
  /** What the device's own sensors say; null where they cannot be reached. */
  readonly sensors: Sensors | null;
}

/** Everything that is known once a command has been followed to its end. */
export interface Seen {
  readonly taskId: string;
  readonly createdAt: string;
  /** When the task last changed: the moment it settled. */
  readonly settledAt: string;
  readonly status: string;
  readonly isError: boolean;
  /** null where the task ended without one. */
  readonly result: CommandResult | null;
  readonly truth: GroundTruth;
  readonly sensors: Sensors | null;
  /** What the device's state topic said since the call, where it has one. */
  readonly heard: readonly Heard[];
  readonly rows: readonly Row[];
}

export type Expectation = (seen: Seen) => Check;

/** A fault of the simulator, armed for as long as the scenario lasts. */
export interface FaultOrder {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, number>>;
}

/** The simulated devices that are commanded here: two over HTTP, the others over MQTT. */
export type SimulatedDeviceId = 'ac' | 'fan' | 'cn105_heatpump' | 'z2m_lamp';

/** One command that is replayed, and what must come of it. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** The simulated device, and those of its sensors that matter here. */
  readonly device: SimulatedDeviceId;
  readonly sensors: readonly string[];
  /** Where it says over MQTT how it stands. */
  readonly stateTopic?: string;
  readonly fault?: FaultOrder;
  readonly call: { readonly tool: string; readonly arguments: Readonly<Record<string, string | number>> };
  /** `cancel`: cancelled at once and watched beyond the delay. `kill`: the gateway is killed and started again. */
  readonly meanwhile?: 'cancel' | 'kill';
  readonly expect: readonly Expectation[];
}

import { z } from 'zod';
import { parseInput } from './errors.ts';
import { type DeviceModel, PROTOCOLS, type Protocol, type State } from './model.ts';

/** How the device answers a command: normally, with a failure, with a success that holds an error, or not at all. */
export type AnswerType = 'received' | 'failure' | 'error' | 'none';

/** What a device is about to do with a command; faults change it. */
export interface Reception {
  readonly answer: AnswerType;
  readonly answerAfterMs: number;
  /** When it acts, beyond its delay: once at 0, unless a fault says otherwise. */
  readonly actsAfterMs: readonly number[];
  /** For how long its sensors show the commanded values at once. */
  readonly echoMs: number;
  /** For how long its sensors go on showing the old values after it acted. */
  readonly staleMs: number;
}

/** One change of state on the way from a command to its end. */
export interface Step {
  /** Counted from the moment at which the device acts. */
  readonly afterMs: number;
  readonly changes: State;
}

/** Where a motion begins. */
export interface Scene {
  readonly model: DeviceModel;
  readonly before: State;
}

/** What an armed fault does, its parameters filled in. A fault without a part leaves that part as it is. */
export interface FaultEffect {
  readonly parameters: Readonly<Record<string, number>>;
  readonly reception?: (reception: Reception) => Reception;
  readonly motion?: (steps: readonly Step[], scene: Scene) => readonly Step[];
}

/** What `times` counts: after so many of these the fault is over. */
export type FaultUnit = 'command' | 'sensor_answer' | 'outage';

/** A way in which a device can fail, as the control API, the command line and a panel list it. */
export interface Fault {
  readonly description: string;
  readonly unit: FaultUnit;
  /** Those that can show it. */
  readonly protocols: readonly Protocol[];
  /** JSON Schema of its parameters, with their defaults. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** @throws InputError where a parameter is unknown or out of range */
  arm(parameters: unknown): FaultEffect;
}

/** A fault from its parts; the parts get parameters that have been checked. */
export function defineFault<P extends Record<string, number>>(parts: {
  readonly description: string;
  readonly unit: FaultUnit;
  /** Default: all of them. */
  readonly protocols?: readonly Protocol[];
  readonly parameters: z.ZodType<P>;
  readonly reception?: (reception: Reception, parameters: P) => Reception;
  readonly motion?: (steps: readonly Step[], scene: Scene, parameters: P) => readonly Step[];
}): Fault {
  const { description, unit, protocols = PROTOCOLS, reception, motion } = parts;
  return {
    description,
    unit,
    protocols,
    parameters: z.toJSONSchema(parts.parameters, { io: 'input' }).properties ?? {},
    arm(input) {
      const parameters = parseInput(parts.parameters, input);
      return {
        parameters,
        ...(reception && { reception: (draft: Reception) => reception(draft, parameters) }),
        ...(motion && { motion: (steps: readonly Step[], scene: Scene) => motion(steps, scene, parameters) }),
      };
    },
  };
}

/** The longest wait that can be asked for: an hour. */
export const MAX_WAIT_MS = 3_600_000;

/** A time in milliseconds, up to an hour. */
export function milliseconds(minimum = 0): z.ZodInt {
  return z.int().min(minimum).max(MAX_WAIT_MS);
}

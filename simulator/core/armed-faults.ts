import { z } from 'zod';
import { InputError, parseInput } from './errors.ts';
import type { Fault, FaultEffect } from './fault.ts';
import { FAULT_NAMES, FAULTS, type FaultName, faultName } from './faults.ts';
import type { Protocol } from './model.ts';

/** A fault to arm: its name, how often it applies (without a number until it is cleared), and its parameters beside them. */
const orderSchema = z.looseObject({ fault: z.string(), times: z.int().min(1).optional() });

interface Armed {
  readonly effect: FaultEffect;
  timesLeft: number | null;
}

/** An armed fault as it is listed. */
export interface ArmedFault {
  readonly fault: FaultName;
  /** null: until it is cleared. */
  readonly times_left: number | null;
  readonly parameters: Readonly<Record<string, number>>;
}

/** The faults that one device has at present; at most one of each kind, the latest. */
export class ArmedFaults {
  readonly #protocol: Protocol;
  readonly #armed = new Map<FaultName, Armed>();

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  /**
   * @returns what was armed
   * @throws InputError, UnknownError
   */
  arm(order: unknown): ArmedFault {
    const { fault, times, ...parameters } = parseInput(orderSchema, order);
    const name = faultName(fault);
    const { protocols, arm }: Fault = FAULTS[name];
    if (!protocols.includes(this.#protocol)) {
      throw new InputError(`${name} cannot be seen over ${this.#protocol}; it can over ${protocols.join(', ')}`);
    }
    const effect = arm(parameters);
    this.#armed.set(name, { effect, timesLeft: times ?? null });
    return { fault: name, times_left: times ?? null, parameters: effect.parameters };
  }

  clear(name?: FaultName): void {
    if (name) this.#armed.delete(name);
    else this.#armed.clear();
  }

  /** Whether a fault is armed; it then has applied once more. */
  use(name: FaultName): FaultEffect | undefined {
    const armed = this.#armed.get(name);
    if (!armed) return undefined;
    if (armed.timesLeft !== null) {
      armed.timesLeft -= 1;
      if (armed.timesLeft === 0) this.#armed.delete(name);
    }
    return armed.effect;
  }

  has(name: FaultName): boolean {
    return this.#armed.has(name);
  }

  /** The faults that shape a command which reaches the device, in the order in which they apply. */
  useForCommand(): readonly (readonly [FaultName, FaultEffect])[] {
    return FAULT_NAMES.flatMap((name) => {
      const effect = this.#armed.get(name)?.effect;
      if (!effect?.reception && !effect?.motion) return [];
      this.use(name);
      return [[name, effect] as const];
    });
  }

  list(): readonly ArmedFault[] {
    return FAULT_NAMES.flatMap((fault) => {
      const armed = this.#armed.get(fault);
      return armed ? [{ fault, times_left: armed.timesLeft, parameters: armed.effect.parameters }] : [];
    });
  }
}

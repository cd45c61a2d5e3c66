import * as z from 'zod';
import { ControlClient } from '../../simulator/control-client.ts';

const value = z.union([z.string(), z.number()]);

const commandEntry = z.object({
  type: z.literal('command'),
  command: z.int(),
  body: z.record(z.string(), value),
});
const actuationEntry = z.object({
  type: z.literal('actuation'),
  /** null: its state was set by hand. */
  command: z.int().nullable(),
  epoch_ms: z.number(),
  changes: z.record(z.string(), z.object({ from: value, to: value })),
});
const viewSchema = z.object({
  devices: z.record(z.string(), z.object({ reachable: z.boolean(), shown: z.record(z.string(), value) })),
});
const truthSchema = z.object({
  counts: z.record(z.string(), z.looseObject({ commands: z.int() })),
  entries: z.array(z.union([commandEntry, actuationEntry, z.looseObject({ type: z.literal('rejected') })])),
});

/** A command that really reached the device. */
export type Received = z.output<typeof commandEntry>;
/** A change that the device really made. */
export type Acted = z.output<typeof actuationEntry>;
/** What the sensors of one device say, in the device's words. */
export type Sensors = Readonly<Record<string, string | number>>;

/** What really happened to a device. */
export interface GroundTruth {
  readonly received: readonly Received[];
  readonly acted: readonly Acted[];
}

/** A simulated device of a simulator that runs somewhere: its sensors, its faults, and the truth about it. */
export class SimulatedDeviceControl {
  readonly id: string;
  readonly #control: ControlClient;

  constructor(url: string, id: string) {
    this.id = id;
    this.#control = new ControlClient(url);
  }

  /** Arms a fault until it is cleared. @throws InputError where the simulator refuses it */
  async arm(fault: string, parameters: Readonly<Record<string, number>> = {}): Promise<void> {
    await this.#control.call('POST', `/devices/${this.id}/faults`, { ...parameters, fault });
  }

  /** Clears every fault. */
  async clear(): Promise<void> {
    await this.#control.call('DELETE', `/devices/${this.id}/faults`);
  }

  /** How many commands it has received. */
  async commandCount(): Promise<number> {
    const { counts } = truthSchema.parse(await this.#control.call('GET', `/truth/${this.id}`));
    return counts[this.id]?.commands ?? 0;
  }

  /** What came of the commands after the first `commandsBefore`. */
  async truthSince(commandsBefore: number): Promise<GroundTruth> {
    const { entries } = truthSchema.parse(await this.#control.call('GET', `/truth/${this.id}`));
    return {
      received: entries.filter((entry) => entry.type === 'command').filter((entry) => entry.command > commandsBefore),
      acted: entries
        .filter((entry) => entry.type === 'actuation')
        .filter((entry) => (entry.command ?? 0) > commandsBefore),
    };
  }

  /** What its sensors say now, whatever it speaks; null where it cannot be reached. */
  async sensors(): Promise<Sensors | null> {
    const { devices } = viewSchema.parse(await this.#control.call('GET', ''));
    const device = devices[this.id];
    return device?.reachable ? device.shown : null;
  }
}

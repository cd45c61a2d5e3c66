import type { ArmedFault } from './armed-faults.ts';
import type { Clock } from './clock.ts';
import { SimulatedDevice } from './device.ts';
import type { DeviceView } from './device-view.ts';
import { UnknownError } from './errors.ts';
import type { Fault } from './fault.ts';
import { FAULTS } from './faults.ts';
import type { DeviceModel, Protocol } from './model.ts';
import type { Timing } from './settings.ts';
import { type Counts, type TruthEntry, TruthLog } from './truth.ts';

/** How a home is made. */
export interface HomeOptions {
  readonly models: readonly DeviceModel[];
  readonly clock: Clock;
  readonly timing: Timing;
  readonly seed: number;
}

/** Everything that can be looked at. */
export interface HomeView {
  readonly seed: number;
  readonly devices: Readonly<Record<string, DeviceView>>;
  /** The faults there are. */
  readonly faults: Readonly<Record<string, Omit<Fault, 'arm'>>>;
}

/** What really happened. */
export interface Truth {
  readonly counts: Readonly<Record<string, Readonly<Counts>>>;
  /** Oldest first; the log keeps the latest thousand. */
  readonly entries: readonly TruthEntry[];
}

/** The simulated devices together, and the log of what they really do. */
export class SimulatedHome {
  readonly truthLog: TruthLog;
  readonly devices: readonly SimulatedDevice[];
  readonly #seed: number;

  constructor({ models, clock, timing, seed }: HomeOptions) {
    this.#seed = seed;
    this.truthLog = new TruthLog(clock);
    // A seed of its own for each: what one device is told does not change what another one does.
    this.devices = models.map(
      (model, index) => new SimulatedDevice(model, { clock, truth: this.truthLog, timing, seed: seed + index }),
    );
  }

  /**
   * @param protocol looks only among the devices that speak it
   * @throws UnknownError that lists the devices there are
   */
  device(id: string, protocol?: Protocol): SimulatedDevice {
    const devices = this.devices.filter(({ model }) => protocol === undefined || model.protocol === protocol);
    const found = devices.find((device) => device.id === id);
    if (found) return found;
    const ids = devices.map((device) => device.id).join(', ');
    throw new UnknownError(`no device ${JSON.stringify(id)}; there are ${ids}`);
  }

  /**
   * Arms a fault on a device; `times: 1` is for one command.
   * @throws InputError, UnknownError
   */
  arm(deviceId: string, fault: string, options: Readonly<Record<string, number>> = {}): ArmedFault {
    return this.device(deviceId).arm({ ...options, fault });
  }

  /** Clears one fault of a device, or all of them. @throws UnknownError */
  clear(deviceId: string, fault?: string): void {
    this.device(deviceId).clear(fault);
  }

  /** Sets how long a device takes to act on the commands to come. @throws InputError, UnknownError */
  setDelay(deviceId: string, delayMs: number): void {
    this.device(deviceId).configure({ delay_ms: delayMs });
  }

  /** The ground truth of one device, or of all. @throws UnknownError */
  truth(deviceId?: string): Truth {
    const devices = deviceId === undefined ? this.devices : [this.device(deviceId)];
    return {
      counts: Object.fromEntries(devices.map(({ id }) => [id, this.truthLog.counts(id)])),
      entries: this.truthLog.entries(deviceId),
    };
  }

  view(): HomeView {
    const faults = Object.entries<Fault>(FAULTS).map(([name, { arm: _, ...described }]) => [name, described]);
    return {
      seed: this.#seed,
      devices: Object.fromEntries(this.devices.map((device) => [device.id, device.view()])),
      faults: Object.fromEntries(faults),
    };
  }

  /** Back to the start; the ground truth begins anew. */
  reset(): void {
    for (const device of this.devices) device.reset();
    this.truthLog.clear();
  }

  /** Lets go of everything under way. */
  stop(): void {
    for (const device of this.devices) device.stop();
  }
}

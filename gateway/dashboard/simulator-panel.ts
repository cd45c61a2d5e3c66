import type { DeviceSpec } from '../domain/device.ts';
import type { SimulatedDeviceWire, SimulatorChangeWire } from './wire.ts';

/** The simulator that runs beside the gateway, for people to play with. */
export interface SimulatorPanel {
  /** Faults by name. */
  readonly faults: readonly string[];
  /** What every simulated device really does. @param known the gateway's devices, to say which of them it is */
  devices(known: readonly DeviceSpec[]): readonly SimulatedDeviceWire[];
  /** @throws UserError `unknown_device`; `bad_value` for a fault that does not exist, or that the device cannot show */
  change(id: string, change: SimulatorChangeWire): void;
}

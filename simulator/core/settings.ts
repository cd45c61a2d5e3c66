import { z } from 'zod';
import { milliseconds } from './fault.ts';
import { type DeviceModel, type State, stateSchema } from './model.ts';

/** How long a device takes to act, in milliseconds: `delay_ms`, plus at random up to `jitter_ms`. */
export interface Timing {
  readonly delay_ms: number;
  readonly jitter_ms: number;
}

/** What can be changed of a running device from outside its own protocol. */
export interface Settings extends Partial<Timing> {
  readonly state?: State;
}

export function settingsSchema(model: DeviceModel): z.ZodType<Settings> {
  return z.strictObject({
    delay_ms: milliseconds().exactOptional(),
    jitter_ms: milliseconds().exactOptional(),
    state: stateSchema(model).exactOptional(),
  });
}

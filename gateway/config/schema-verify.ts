import * as z from 'zod';
import type { DeviceKind } from '../domain/device.ts';
import { duration, gap, strict } from './schema-parts.ts';

/** How commands are verified; what is left out is filled in by kind and transport. */
export const verifySchema = strict({
  echo: duration.optional(),
  settle: duration.optional(),
  deadline: duration.optional(),
  watch: duration.prefault('2m'),
  poll: z.array(gap).optional(),
  level: z.literal([1, 2, 3], { error: 'expected 1, 2 or 3' }).default(3),
  /** A bridge repeats from memory what it was told: read the device itself before a report of it counts. */
  confirm: z.boolean().default(false),
  resend: z.int().min(0).max(5).default(0),
});

/** All times in ms. */
export type VerifyConfig = {
  [Key in keyof z.output<typeof verifySchema>]-?: NonNullable<z.output<typeof verifySchema>[Key]>;
};

type Timing = Pick<VerifyConfig, 'echo' | 'settle' | 'deadline' | 'poll'>;

// Starting values from what was measured and reported of real devices. Relays and lamps answer within a second.
const RELAY: Timing = { echo: 300, settle: 1000, deadline: 5000, poll: [300, 700, 1500, 3000] };
// A fan is a relay with a motor, and often with an infrared bridge between.
const FAN: Timing = { echo: 300, settle: 1000, deadline: 10_000, poll: [600, 1500, 3000, 6000] };
// An air conditioner's own adapter reports what it did; a bridge repeats the command first and reports later.
const ADAPTER: Timing = { echo: 0, settle: 2000, deadline: 10_000, poll: [600, 1500, 3000, 6000] };
const BRIDGE: Timing = { echo: 1500, settle: 5000, deadline: 20_000, poll: [] };
// A blind's travel time is not known: a minute is enough for most, and its own profile can say better.
const COVER: Timing = { echo: 300, settle: 1500, deadline: 60_000, poll: [1000] };

const TIMING: Record<DeviceKind, { http: Timing; mqtt: Timing }> = {
  climate: { http: ADAPTER, mqtt: BRIDGE },
  humidifier: { http: ADAPTER, mqtt: BRIDGE },
  fan: { http: FAN, mqtt: FAN },
  light: { http: RELAY, mqtt: RELAY },
  switch: { http: RELAY, mqtt: RELAY },
  cover: { http: COVER, mqtt: COVER },
};

/** The rules of a device, with the defaults of its kind. Only a device that is reached over HTTP is polled by default. */
export function completeVerify(
  written: z.output<typeof verifySchema>,
  kind: DeviceKind,
  transport: 'http' | 'mqtt',
): VerifyConfig {
  const timing = TIMING[kind][transport];
  return {
    ...written,
    echo: written.echo ?? timing.echo,
    settle: written.settle ?? timing.settle,
    deadline: written.deadline ?? timing.deadline,
    poll: written.poll ?? (transport === 'http' ? timing.poll : []),
  };
}

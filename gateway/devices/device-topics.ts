import type { DeviceConfig } from '../config/schema-device.ts';

/** The topics through which a device is met. */
export interface DeviceTopics {
  /** Where the gateway publishes: commands and questions. */
  readonly publishes: readonly string[];
  /** What the gateway listens to; these may be filters. */
  readonly hears: readonly string[];
}

/** Every topic that a device's entry in the configuration names. */
export function topicsOf({ fields, availability, errors }: DeviceConfig): DeviceTopics {
  const publishes = new Set<string>();
  const hears = new Set(errors.map(({ topic }) => topic));
  for (const { write, read, read_now: readNow, ack } of Object.values(fields)) {
    for (const message of [write, readNow]) if (typeof message === 'object') publishes.add(message.topic);
    for (const source of [read, ack]) if (source?.topic !== undefined) hears.add(source.topic);
  }
  if (availability?.type === 'topics') for (const { topic } of availability.list) hears.add(topic);
  return { publishes: [...publishes], hears: [...hears] };
}

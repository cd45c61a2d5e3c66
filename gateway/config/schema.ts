import * as z from 'zod';
import { type DeviceConfig, deviceSchema } from './schema-device.ts';
import { logSchema } from './schema-log.ts';
import { mqttDefaults, mqttSchema } from './schema-mqtt.ts';
import { duration, identifier, strict, text } from './schema-parts.ts';
import { serverSchema } from './schema-server.ts';
import { tasksSchema } from './schema-tasks.ts';
import { tokensSchema } from './schema-tokens.ts';
import { usesMqtt } from './uses-mqtt.ts';

/** `porch_fan` is called "Porch fan" where nobody gave it a name. */
export function nameFromId(id: string): string {
  const words = id.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The whole configuration file. */
export const homeConfigSchema = strict({
  devices: z
    .record(identifier, deviceSchema)
    .default({})
    .transform(
      (devices): Record<string, DeviceConfig> =>
        Object.fromEntries(
          Object.entries(devices).map(([id, device]) => [id, { ...device, name: device.name ?? nameFromId(id) }]),
        ),
    ),
  server: serverSchema.prefault({}),
  tokens: tokensSchema.default([]),
  /** The folder of the task store. A relative path starts at the configuration file. */
  data: text.optional(),
  tasks: tasksSchema.prefault({}),
  approvals: strict({
    /** Whether a model may answer a question that its own command raised. */
    model_may_answer: z.boolean().default(false),
    ttl: duration.prefault('15m'),
  }).prefault({}),
  mqtt: mqttSchema.optional(),
  log: logSchema.prefault({}),
}).transform(({ mqtt, ...home }, context) => {
  const devices = Object.values(home.devices);
  if (devices.length === 0 && !mqtt?.discovery) {
    const message = 'needs at least one device, or mqtt for devices that announce themselves';
    context.issues.push({ code: 'custom', input: home, message, path: ['devices'] });
  }
  return { ...home, mqtt: mqtt ?? (devices.some(usesMqtt) ? mqttDefaults() : null) };
});

/** The configuration with every default filled in; times in ms. `mqtt` is null where nothing needs a broker. */
export type HomeConfig = z.output<typeof homeConfigSchema>;

import * as z from 'zod';
import { type DeviceKind, KINDS } from '../domain/device.ts';
import { REASONS } from '../domain/verdict.ts';
import { fieldSchema } from './schema-field.ts';
import { identifier, strict, template, text } from './schema-parts.ts';
import { httpSchema, requestSchema } from './schema-request.ts';
import { completeVerify, verifySchema } from './schema-verify.ts';

/** Home Assistant's keys of one availability topic. */
const availabilityTopicSchema = strict({
  topic: text,
  payload_available: z.string().default('online'),
  payload_not_available: z.string().default('offline'),
  value_template: template.optional(),
});

/** A topic, a list of topics (alone or with its `mode`), or a request whose answer is the sign of life. */
const availabilitySchema = z
  .union(
    [
      z.array(availabilityTopicSchema).min(1),
      strict({
        list: z.array(availabilityTopicSchema).min(1),
        mode: z.enum(['all', 'any', 'latest']).default('latest'),
      }),
      strict({ request: text }),
      availabilityTopicSchema,
    ],
    { error: 'expected {topic, payload_available, payload_not_available}, a list of these, {mode, list} or {request}' },
  )
  .transform((written) => {
    if ('request' in written) return { type: 'request' as const, request: written.request };
    if ('list' in written) return { type: 'topics' as const, ...written };
    return { type: 'topics' as const, mode: 'latest' as const, list: Array.isArray(written) ? written : [written] };
  });

export type AvailabilityConfig = z.output<typeof availabilitySchema>;

/** Messages that say that a command failed, for devices that do not answer commands themselves. */
const errorSchema = strict({
  topic: text,
  match: template,
  reason: z.enum(REASONS).default('delivery_failed'),
});

/** Home Assistant's own keys: written out as fields before the rest is checked (`home-assistant/`). */
const openRecord = z.record(z.string(), z.unknown()).optional();
const mqttKeys = {
  mqtt_climate: openRecord,
  mqtt_fan: openRecord,
  mqtt_light: openRecord,
  mqtt_cover: openRecord,
  mqtt_switch: openRecord,
  mqtt_humidifier: openRecord,
} satisfies Record<`mqtt_${DeviceKind}`, unknown>;

/** One entry of `devices:`. */
export const deviceSchema = strict({
  name: text.optional(),
  area: text.optional(),
  kind: z.enum(KINDS).optional(),
  /** A shipped profile and its variables: taken in before the rest is checked. */
  use: text.optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  http: httpSchema.optional(),
  requests: z.record(text, requestSchema).default({}),
  fields: z.record(identifier, fieldSchema).default({}),
  order: z.array(z.string()).default([]),
  guard: z.array(z.string()).default([]),
  side_effects: z.record(z.string(), z.array(z.string())).default({}),
  availability: availabilitySchema.optional(),
  errors: z.union([z.array(errorSchema), errorSchema.transform((only) => [only])]).default([]),
  verify: verifySchema.prefault({}),
  /** What should be known of the device, in words: shown with its state. */
  caveats: z.array(text).default([]),
  ...mqttKeys,
}).transform(({ use: _use, with: _with, ...written }, context) => {
  const device = withoutMqttKeys(written);
  const { kind } = device;
  if (kind === undefined) {
    context.issues.push({ code: 'custom', input: written, message: `needs a kind: ${KINDS.join(', ')}` });
    return z.NEVER;
  }
  const transport = device.http ? 'http' : 'mqtt';
  return { ...device, kind, verify: completeVerify(device.verify, kind, transport) };
});

type MqttKey = keyof typeof mqttKeys;

function withoutMqttKeys<Device extends { readonly [Key in MqttKey]?: unknown }>(
  device: Device,
): Omit<Device, MqttKey> {
  const rest: Partial<Device> = { ...device };
  for (const key of Object.keys(mqttKeys)) delete rest[key as MqttKey];
  return rest as Omit<Device, MqttKey>;
}

/** A device as it is written, with every default filled in. Times in ms, keys as in the file. */
export type DeviceConfig = Omit<z.output<typeof deviceSchema>, 'name'> & { name: string };

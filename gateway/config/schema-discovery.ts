import * as z from 'zod';
import { strict, text } from './schema-parts.ts';

/** A filter as MQTT has it: `+` for one level, `#` at the end for all that follow. */
const topicFilter = text.regex(
  /^(?![$])(\+|[^+#/\0]*)(\/(\+|[^+#/\0]*))*(\/#)?$|^#$/,
  'a topic filter has + and # alone between slashes, # at the end, and no $ at the beginning: homeassistant/+/porch/#',
);

/** A word in which `*` stands for anything. */
const pattern = text.max(256, 'a pattern has at most 256 characters');

/** Which announced devices are wanted: all that is written in one rule has to be true of them. */
const ruleSchema = strict({
  /** Where they are announced: a topic filter. */
  topic: topicFilter.optional(),
  object_id: pattern.optional(),
  /** The program that announces them: `Zigbee2MQTT`, `esphome`, `Tasmota`. */
  origin: pattern.optional(),
  /** One of the identifiers or connections of the device: a serial number, a MAC address. */
  device: pattern.optional(),
  /** Every topic under which the device is commanded lies under this filter. */
  command_topic: topicFilter.optional(),
}).refine((rule) => Object.values(rule).some((word) => word !== undefined), 'needs at least one of its keys');

export type DiscoveryRule = z.output<typeof ruleSchema>;

/** Whether devices that announce themselves are taken in: all, none, or those that a rule allows. */
export const discoverySchema = z.union(
  [z.boolean(), strict({ allow: z.array(ruleSchema).min(1, 'needs at least one rule; false takes in none') })],
  { error: 'expected true, false, or {allow: [rules]}' },
);

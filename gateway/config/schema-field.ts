import * as z from 'zod';
import type { ApprovalRule } from '../domain/field.ts';
import { gap, identifier, strict, template, text, value, word } from './schema-parts.ts';

/** A message to the device. At QoS 1, the default, the broker's PUBACK is the first evidence. */
function publishSchema(usualPayload: string) {
  return strict({
    topic: text,
    payload: z.union([z.string(), z.record(z.string(), z.json())]).default(usualPayload),
    qos: z.literal([0, 1, 2]).default(1),
  });
}
export type PublishConfig = z.output<ReturnType<typeof publishSchema>>;

/** @param usualPayload what is sent where nothing is written */
function requestOrPublish(usualPayload: string) {
  return z.union([text, publishSchema(usualPayload)], {
    error: 'expected the name of a request, or {topic, payload, qos}',
  });
}

function exactlyOne(keys: readonly [string, string]) {
  return (object: Readonly<Record<string, unknown>>) => keys.filter((key) => object[key] !== undefined).length === 1;
}

/** Where a value comes from. With neither `path` nor `template` it is the payload itself. */
const sourceKeys = {
  request: text.optional(),
  topic: text.optional(),
  /** Into the decoded payload: `attributes.temperature`, `sensors.0.value`. */
  path: text.optional(),
  template: template.optional(),
  /** How often it is read, or reports by itself, while nothing is commanded. */
  period: gap.optional(),
};

const pathOrTemplate = (read: Readonly<Record<string, unknown>>) =>
  read['path'] === undefined || read['template'] === undefined;
const NOT_BOTH = 'takes path or template, not both';

const readSchema = strict({
  ...sourceKeys,
  /** A stream of events that reports the field; `request` beside it asks while the stream is broken. */
  events: text.optional(),
})
  .refine((read) => (read.events === undefined ? exactlyOne(['request', 'topic'])(read) : read.topic === undefined), {
    error: 'needs one of request, events and topic; request and events may stand together',
  })
  .refine(pathOrTemplate, NOT_BOTH);

const ackSchema = strict(sourceKeys)
  .refine(exactlyOne(['request', 'topic']), 'needs either request or topic')
  .refine(pathOrTemplate, NOT_BOTH);

/** `topic`, or `request`, `events` or both of these; at most one of `path` and `template`; `period` in ms. */
export type ReadConfig = z.output<typeof readSchema>;

const range = z.tuple([z.number(), z.number()], { error: 'expected [lowest, highest]' });

const approvalSchema = z
  .union(
    [
      z.enum(['always', 'never']),
      strict({ outside: range.optional(), values: z.array(value).min(1).optional() }).refine(
        exactlyOne(['outside', 'values']),
        'needs either outside or values',
      ),
    ],
    { error: 'expected always, never, {outside: [18, 30]} or {values: [heat]}' },
  )
  .transform((rule): ApprovalRule => {
    if (rule === 'always' || rule === 'never') return { type: rule };
    if (rule.outside) return { type: 'outside', low: rule.outside[0], high: rule.outside[1] };
    return { type: 'values', values: rule.values ?? [] };
  });

/** `[device word, our word]`; where several device words mean one of ours, the first is written. */
const mapSchema = z
  .union([z.record(z.string(), value), z.array(z.tuple([word, value]))], {
    error: 'expected {device word: our word}, or a list of such pairs: [["0", auto], ["1", auto]]',
  })
  .transform((map): [string, string | number][] => (Array.isArray(map) ? map : Object.entries(map)));

const limitBySchema = z.record(identifier, z.record(z.string(), z.number()));

const appliesSchema = z.union(
  [template, z.record(identifier, z.union([word.transform((each) => [each]), z.array(word).min(1)]))],
  {
    error: 'expected a template, or {field: [words]}',
  },
);

/** One property of a device, under Home Assistant's name for it. */
export const fieldSchema = strict({
  write: requestOrPublish('{{ value }}').optional(),
  read: readSchema.optional(),
  /** Asks the device for the field: a request, or a message (an empty one by default) after which it reports. */
  read_now: requestOrPublish('').optional(),
  /** Where the device or its bridge acknowledges: never evidence of level 3. */
  ack: ackSchema.optional(),
  map: mapSchema.prefault({}),
  /** Words the device may also say, and ours for them: `{heat_cool: auto}`. */
  alias: z.record(z.string(), word).default({}),
  options: z.array(word).min(1).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  step: z.number().positive().optional(),
  /** `C`, `F`, `%`: shown to people. */
  unit: text.optional(),
  tolerance: z.number().nonnegative().optional(),
  nulls: z.array(word).default([]),
  min_by: limitBySchema.optional(),
  max_by: limitBySchema.optional(),
  /** A template over the fields in our words, or the words that other fields must have: `{hvac_mode: [cool, heat]}`. */
  applies_when: appliesSchema.optional(),
  /** A template on the read's payload; true: the field is in motion. */
  moving_when: template.optional(),
  read_only: z.boolean().default(false),
  approval: approvalSchema.prefault('never'),
  /** Ours = the device's number × scale. */
  scale: z
    .number()
    .refine((scale) => scale !== 0, 'must not be 0')
    .default(1),
});

export type FieldConfig = z.output<typeof fieldSchema>;

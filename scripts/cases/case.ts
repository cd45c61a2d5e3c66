import * as z from 'zod';
import { VERDICTS } from '../../gateway/domain/verdict.ts';

/** A field's value in our words, where a switch is `on` or `off`. */
const value = z.union([z.string(), z.number(), z.boolean().transform((is) => (is ? 'on' : 'off'))]).nullable();
const values = z.record(z.string(), value);

/** A message as it lies on the wire: objects are sent as JSON, strings as they are. */
const payload = z.unknown();
const message = z.looseObject({ topic: z.string(), payload: payload.optional(), retain: z.boolean().optional() });

/** What the device must have received; `payload` left out: any. */
const sentSchema = z
  .looseObject({ topic: z.string().optional(), request: z.string().optional(), payload: payload.optional() })
  .refine((sent) => (sent.topic === undefined) !== (sent.request === undefined), 'needs either topic or request');

const expectSchema = z.looseObject({
  verdict: z.enum(VERDICTS),
  reason: z.string().nullable().optional(),
  fields: z.record(z.string(), z.string()).optional(),
  observed: values.optional(),
  not_before: z.number().optional(),
  not_after: z.number().optional(),
  sent: sentSchema.nullable().optional(),
  commands: z.int().nonnegative().optional(),
  event: z.looseObject({ type: z.literal('drifted'), at: z.number() }).optional(),
});

const caseSchema = z.looseObject({
  id: z.string(),
  kind: z.string().default(''),
  device: z.record(z.string(), z.unknown()),
  retained: z.array(message).default([]),
  initial: values.default({}),
  set: z.record(z.string(), z.unknown()),
  mqtt: z.array(message.extend({ at: z.number() })).default([]),
  http: z
    .array(
      z.looseObject({
        request: z.string(),
        from: z.number(),
        status: z.int().default(200),
        body: payload.optional(),
        delay: z.number().nonnegative().default(0),
      }),
    )
    .default([]),
  answers: z
    .array(
      z.looseObject({ topic: z.string(), payload: payload.optional(), after: z.number().default(0), reply: message }),
    )
    .default([]),
  expect: expectSchema,
});

/** One situation and the only right verdict. All times are those of the real situation, in ms. */
export type Case = z.output<typeof caseSchema>;
export type Expectation = Case['expect'];
export type Message = z.output<typeof message>;
export type HttpAnswer = Case['http'][number];

/** A file that does not hold cases; the message names file, line and key. */
export class CaseFileError extends Error {
  override readonly name = 'CaseFileError';
}

/**
 * Reads cases, one a line; empty lines are passed over.
 * @throws CaseFileError for the first line that is no case
 */
export function readCases(text: string, file: string): Case[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const where = `${file}:${index + 1}`;
    const parsed = caseSchema.safeParse(parseJson(line, where));
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    throw new CaseFileError(`${where}: ${issue?.path.join('.')}: ${issue?.message}`);
  });
}

function parseJson(line: string, where: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw new CaseFileError(`${where}: no JSON: ${String(error)}`, { cause: error });
  }
}

/** A payload as bytes on the wire. */
export function wireText(payload: unknown): string {
  if (payload === undefined || payload === null) return '';
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}

import type { FieldConfig, ReadConfig } from '../config/schema-field.ts';
import type { DeviceSpec } from '../domain/device.ts';
import type { Reading, ReadingSource } from '../domain/reading.ts';
import type { Instant } from '../domain/time.ts';
import { decode, type Value } from '../domain/value.ts';
import { truth } from './condition.ts';
import { type Payload, walk } from './payload.ts';
import { compileTemplate, type Template } from './template.ts';

/** How one field is found in a payload. */
export interface FieldReader {
  readonly field: string;
  /** The device's own word: undefined where the payload has no opinion on the field. */
  raw(payload: Payload): unknown;
  readonly movingWhen: Template | undefined;
}

/**
 * The reader of a field's `read` (or, with `key` `ack`, of its acknowledgement).
 * @throws StartError where a template cannot be read
 */
export function compileReader(
  field: string,
  config: FieldConfig,
  read: ReadConfig,
  where: string,
  key: 'read' | 'ack' = 'read',
): FieldReader {
  const { moving_when: movingWhen } = config;
  return {
    field,
    raw: compileRaw(read, `${where}.${key}.template`),
    movingWhen:
      key === 'read' && movingWhen !== undefined ? compileTemplate(movingWhen, `${where}.moving_when`) : undefined,
  };
}

function compileRaw(read: ReadConfig, where: string): FieldReader['raw'] {
  const { path } = read;
  if (path !== undefined) return (payload) => walk(payload.value_json, path);
  if (read.template === undefined) return wholePayload;
  const template = compileTemplate(read.template, where);
  return (payload) => {
    const result = template.evaluate({ ...payload });
    // An empty rendering is what a missing key gives in a template of several parts.
    return result.ok && result.value !== '' ? result.value : undefined;
  };
}

/** The payload itself, as it was written: `1.0` stays apart from `1`. A JSON text loses its quotes, an object is no value. */
function wholePayload({ value, value_json }: Payload): unknown {
  const isWritten = typeof value_json === 'string' || (typeof value_json === 'object' && value_json !== null);
  return isWritten ? value_json : value;
}

/** When and how a payload was received. */
export interface Receipt {
  readonly at: Instant;
  readonly beganAt: Instant;
  readonly source: ReadingSource;
  readonly retained: boolean;
}

/** A sign of life that says nothing of any field. */
export function emptyReading(receipt: Receipt): Reading {
  return { type: 'reading', ...receipt, values: {}, moving: {}, excluded: [], acks: {} };
}

/** Everything that a payload says of the fields that are read from it. */
export function readPayload(
  spec: DeviceSpec,
  readers: readonly FieldReader[],
  payload: Payload,
  receipt: Receipt,
): Reading {
  const values: Record<string, Value | null> = {};
  const moving: Record<string, boolean> = {};
  for (const reader of readers) {
    const field = spec.fields[reader.field];
    const value = field && decode(field, reader.raw(payload));
    if (value !== undefined) values[reader.field] = value;
    const inMotion = reader.movingWhen && truth(reader.movingWhen.evaluate({ ...payload }));
    if (inMotion !== undefined) moving[reader.field] = inMotion;
  }
  // Judged by this payload alone: what another one said may be of another moment.
  const excluded = Object.values(spec.fields)
    .filter((field) => field.applies?.(values) === false)
    .map((field) => field.name);
  return { ...emptyReading(receipt), values, moving, excluded };
}

/** The commands that a payload acknowledges, with the values that it names. */
export function readAcks(
  spec: DeviceSpec,
  readers: readonly FieldReader[],
  payload: Payload,
): Readonly<Record<string, Value>> {
  const acks: Record<string, Value> = {};
  for (const reader of readers) {
    const field = spec.fields[reader.field];
    const value = field && decode(field, reader.raw(payload));
    if (value !== undefined && value !== null) acks[reader.field] = value;
  }
  return acks;
}

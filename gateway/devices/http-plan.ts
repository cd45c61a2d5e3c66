import type { DeviceConfig } from '../config/schema-device.ts';
import { StartError } from '../domain/errors.ts';
import { truth } from './condition.ts';
import { compileReader, type FieldReader } from './field-reader.ts';
import { compileRequest, type DeviceRequest } from './http-request.ts';
import { append } from './lists.ts';
import type { Payload } from './payload.ts';
import { compileTemplate } from './template.ts';

/** A stream of events that is held open, and what is read from it. */
export interface StreamPlan {
  readonly request: DeviceRequest;
  /** Longest silence, in ms. */
  readonly heartbeatMs: number;
  /** The name of the events that count; undefined: all of them. */
  readonly event: string | undefined;
  /** Whether an event is about this device; undefined where that could not be told. */
  matches(payload: Payload): boolean | undefined;
  /** The fields that its events report. */
  readonly readers: readonly FieldReader[];
}

/** Which request writes and reads which field, worked out once from the configuration. */
export interface HttpPlan {
  /** Those that are made; streams are apart. */
  readonly requests: ReadonlyMap<string, DeviceRequest>;
  readonly streams: readonly StreamPlan[];
  /** Field → the request that writes it. */
  readonly writers: ReadonlyMap<string, string>;
  /** Field → the request that is made when somebody asks for it. */
  readonly askers: ReadonlyMap<string, string>;
  /** Request → the fields that its answer reports. */
  readonly readers: ReadonlyMap<string, readonly FieldReader[]>;
  /** Request → the fields whose command its answer acknowledges. */
  readonly acks: ReadonlyMap<string, readonly FieldReader[]>;
  /** Request → how often it is made in the background, in ms. */
  readonly periods: ReadonlyMap<string, number>;
  /** The request whose answer is the sign of life. */
  readonly availability: string | undefined;
}

/** @throws StartError for a template that cannot be read, or a request that does not exist */
export function compileHttpPlan(id: string, config: DeviceConfig): HttpPlan {
  const where = `devices.${id}`;
  const requests = new Map(
    Object.entries(config.requests)
      .filter(([, { streams }]) => !streams)
      .map(([name, request]) => [name, compileRequest(name, request, `${where}.requests.${name}`)]),
  );
  const existing = (name: string, key: string) => {
    if (requests.has(name)) return name;
    const known = [...requests.keys()].join(', ') || 'none';
    throw new StartError(`${where}.${key}: there is no request "${name}"; there are: ${known}`, 2);
  };
  for (const request of requests.values()) {
    if (request.before !== undefined) existing(request.before, `requests.${request.name}.before`);
  }
  const writers = new Map<string, string>();
  const askers = new Map<string, string>();
  const readers = new Map<string, FieldReader[]>();
  const acks = new Map<string, FieldReader[]>();
  const periods = new Map<string, number>();
  for (const [name, field] of Object.entries(config.fields)) {
    const at = `${where}.fields.${name}`;
    const { read, ack } = field;
    if (typeof field.write === 'string') writers.set(name, existing(field.write, `fields.${name}.write`));
    const request = read?.request && existing(read.request, `fields.${name}.read.request`);
    const asker = typeof field.read_now === 'string' ? existing(field.read_now, `fields.${name}.read_now`) : request;
    if (asker !== undefined) askers.set(name, asker);
    const reader = read && compileReader(name, field, read, at);
    for (const each of new Set([request, asker])) if (reader && each !== undefined) append(readers, each, reader);
    if (request !== undefined && read?.period) {
      periods.set(request, Math.min(read.period, periods.get(request) ?? read.period));
    }
    if (ack?.request !== undefined) {
      append(acks, existing(ack.request, `fields.${name}.ack.request`), compileReader(name, field, ack, at, 'ack'));
    }
  }
  const availability = config.availability?.type === 'request' ? config.availability.request : undefined;
  if (availability !== undefined) existing(availability, 'availability.request');
  return { requests, streams: compileStreams(config, where), writers, askers, readers, acks, periods, availability };
}

function compileStreams(config: DeviceConfig, where: string): StreamPlan[] {
  return Object.entries(config.requests).flatMap(([stream, request]) => {
    const at = `${where}.requests.${stream}`;
    const readers = Object.entries(config.fields).flatMap(([name, field]) => {
      const { read } = field;
      return read?.events === stream ? [compileReader(name, field, read, `${where}.fields.${name}`)] : [];
    });
    // Whatever nobody listens to is not opened.
    if (!request.streams || readers.length === 0) return [];
    const { event, heartbeat: heartbeatMs } = request;
    const match = request.match === undefined ? undefined : compileTemplate(request.match, `${at}.match`);
    const matches = (payload: Payload) => {
      const rendered = match?.evaluate({ ...payload });
      if (rendered === undefined) return true;
      return rendered.ok ? truth(rendered) === true : undefined;
    };
    return [{ request: compileRequest(stream, request, at), heartbeatMs, event, matches, readers }];
  });
}

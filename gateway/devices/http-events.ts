import type { DeviceSpec } from '../domain/device.ts';
import type { Log } from '../domain/log.ts';
import type { Clock, Instant } from '../domain/time.ts';
import type { HttpTransport } from '../transports/http-transport.ts';
import type { ServerEvent } from '../transports/server-events.ts';
import type { DeviceMemory } from './device-memory.ts';
import { emptyReading, type Receipt, readPayload } from './field-reader.ts';
import type { StreamPlan } from './http-plan.ts';

interface Deps {
  readonly spec: DeviceSpec;
  readonly transport: HttpTransport;
  readonly memory: DeviceMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly onOpen: () => void;
  readonly onBreak: () => void;
}

/**
 * A stream of events at work. What a device tells first, when the stream has just been opened, is how it stands: the
 * answer to a question that was asked by opening. All that comes later is its own report.
 *
 * A field that can be asked for as well counts as pushed only while the stream stands, has told of it and can be read: a
 * stream that turns out to be about something else, breaks or is garbled costs reads but never a wrong verdict.
 */
export class HttpEvents {
  readonly #stream: StreamPlan;
  readonly #deps: Deps;
  readonly #fields: readonly string[];
  #askedAt: Instant;
  /** Fields of which nothing has been told since the stream was opened. */
  readonly #awaited = new Set<string>();
  /** On `mono`: what was asked before is no answer any more. */
  #anewAt = Number.NEGATIVE_INFINITY;
  #trouble: string | undefined;

  constructor(stream: StreamPlan, deps: Deps) {
    this.#stream = stream;
    this.#deps = deps;
    this.#fields = stream.readers.map(({ field }) => field);
    this.#askedAt = deps.clock.now();
  }

  /** Opens the stream, which ends with the transport. */
  start(): void {
    const { request, heartbeatMs } = this.#stream;
    const built = request.build({});
    this.#notePush(this.#fields, false);
    if (!built.ok) this.#complain(built.detail);
    else {
      this.#deps.transport.listen(built.request, heartbeatMs, {
        onOpen: (askedAt) => this.#open(askedAt),
        onEvents: (events) => this.#hear(events),
        onBreak: (detail) => this.#break(detail),
      });
    }
  }

  /** See `DevicePart`. */
  beginAnew(): void {
    this.#anewAt = this.#deps.clock.now().mono;
    this.#awaited.clear();
  }

  #open(askedAt: Instant): void {
    const { spec, log, onOpen } = this.#deps;
    this.#askedAt = askedAt;
    if (askedAt.mono > this.#anewAt) for (const field of this.#fields) this.#awaited.add(field);
    if (this.#trouble !== undefined) log.info({ device: spec.id }, 'the stream of events stands again');
    this.#trouble = undefined;
    onOpen();
  }

  #hear(events: readonly ServerEvent[]): void {
    const { memory, clock } = this.#deps;
    const told = events.filter((event) => this.#read(event));
    if (told.length > 0) return;
    const at = clock.now();
    memory.publish(emptyReading({ at, beganAt: at, source: 'report', retained: false }));
  }

  /** @returns whether the event tells of this device */
  #read({ name, data }: ServerEvent): boolean {
    const { spec, memory, clock } = this.#deps;
    const { request, readers, event, matches } = this.#stream;
    if (event !== undefined && event !== name) return false;
    const decoded = data === null ? undefined : request.decode(data);
    if (!decoded?.ok) {
      // Events of every name may be about anything, and in any format; one of the right name was news of something.
      if (event !== undefined) this.#notePush(this.#fields, false);
      return false;
    }
    const isOurs = matches(decoded.payload);
    if (isOurs === undefined) this.#notePush(this.#fields, false);
    if (isOurs !== true) return false;
    const at = clock.now();
    const receipt: Receipt = { at, beganAt: at, source: 'report', retained: false };
    const reading = readPayload(spec, readers, decoded.payload, receipt);
    const fields = Object.keys(reading.values);
    const isAnswer = fields.some((field) => this.#awaited.has(field));
    for (const field of fields) this.#awaited.delete(field);
    this.#notePush(fields, true);
    memory.publish(isAnswer ? { ...reading, source: 'read', beganAt: this.#askedAt } : reading);
    return true;
  }

  #break(detail: string): void {
    this.#awaited.clear();
    this.#notePush(this.#fields, false);
    this.#complain(detail);
    this.#deps.onBreak();
  }

  #notePush(fields: readonly string[], push: boolean): void {
    const { spec, memory } = this.#deps;
    const asked = fields.filter((field) => spec.fields[field]?.readback.askable);
    memory.notePush(Object.fromEntries(asked.map((field) => [field, push])));
  }

  /** Says what is wrong once, not at every attempt. */
  #complain(trouble: string): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const { spec, log } = this.#deps;
    log.warn({ device: spec.id, stream: this.#stream.request.name, trouble }, 'no stream of events; asking instead');
  }
}

import type { Device } from '../domain/device.ts';
import { type Watch, watchOf } from '../domain/drift.ts';
import { messageOf } from '../domain/errors.ts';
import type { ActuationEvent } from '../domain/events.ts';
import type { DeviceState } from '../domain/reading.ts';
import type { Instant } from '../domain/time.ts';
import type { Value } from '../domain/value.ts';
import { type DriftHost, DriftWatch } from './drift-watch.ts';
import type { LiveTask } from './live-task.ts';
import { differs, lookBefore } from './look.ts';
import { Poller, type PollHost } from './poller.ts';

/** What a lane needs of the engine. */
export interface LaneHost extends DriftHost, PollHost {
  /** The device is known to be otherwise than before. */
  readonly changed: (deviceId: string) => void;
}

/**
 * One device's commands: one is begun at a time, `min_gap` between two, and a newer command for the same field takes the
 * place of an older one that has not settled.
 */
export class Lane {
  readonly #host: LaneHost;
  readonly #drift: DriftWatch;
  #device: Device;
  #poller: Poller;
  readonly #waiting: LiveTask[] = [];
  #known: DeviceState;
  /**
   * The commands whose turn it is, each with what calls off its requests that have not left yet. One, except where the
   * gateway took up several that had been sent: no deadline of theirs waits for another.
   */
  readonly #inFlight = new Map<LiveTask, AbortController>();
  #sending: Promise<void> = Promise.resolve();
  #lastSentAt = Number.NEGATIVE_INFINITY;
  #unsubscribe: () => void = () => {};

  constructor(device: Device, host: LaneHost) {
    this.#device = device;
    this.#known = device.state();
    this.#host = host;
    this.#poller = new Poller(device, host);
    this.#drift = new DriftWatch(() => this.#device, host);
  }

  get device(): Device {
    return this.#device;
  }

  start(): void {
    this.#unsubscribe = this.#device.subscribe((report) => {
      for (const task of this.#inFlight.keys()) task.apply({ type: 'device', at: report.at, report });
      if (report.type === 'reading') this.#drift.hear(report);
      this.#notice();
    });
  }

  /** Goes on with the device as it is described now; a command in flight keeps the rules that it was made with. */
  replace(device: Device): void {
    this.#unsubscribe();
    this.#poller.stop();
    this.#device = device;
    this.#poller = new Poller(device, this.#host);
    this.start();
    for (const task of this.#inFlight.keys()) this.#readBack(task);
  }

  stop(): void {
    this.#unsubscribe();
    this.#poller.stop();
    this.#drift.stop();
    for (const callOff of this.#inFlight.values()) callOff.abort();
  }

  /** Takes in what a command did before the gateway stopped: its fields were its own, and may be watched still. */
  recall(fields: readonly string[], watch: Watch | null): void {
    this.#drift.release(fields);
    if (watch) this.#drift.begin(watch);
  }

  /** A command that was in flight when the gateway stopped, or its device went, goes on being verified. */
  resume(task: LiveTask): void {
    this.#inFlight.set(task, new AbortController());
    this.#readBack(task);
  }

  /** Takes a command in, once; it starts when its turn comes. */
  enqueue(task: LiveTask): void {
    if (this.#inFlight.has(task) || this.#waiting.includes(task)) return;
    for (const older of [...this.#inFlight.keys(), ...this.#waiting]) {
      if (overlaps(older, task)) older.apply({ type: 'superseded', at: this.#host.clock.now(), by: task.id });
    }
    this.#waiting.push(task);
    this.#next();
  }

  /** A task of this device has a new state. */
  follow(task: LiveTask): void {
    if (task.current.outcome) this.#release(task);
    else if (this.#inFlight.has(task)) this.#poller.follow(task);
  }

  ask(task: LiveTask, fields: readonly string[]): void {
    void this.#poller.ask(task, fields);
  }

  openRead(task: LiveTask): Promise<void> | null {
    return this.#poller.openRead(task);
  }

  /** Sends; every report goes to the task, whatever became of it meanwhile. */
  send(task: LiveTask, wants: Readonly<Record<string, Value>>): void {
    const fields = Object.keys(wants);
    const signal = this.#inFlight.get(task)?.signal ?? AbortSignal.abort();
    this.#drift.release(fields);
    const sending = this.#device.send(
      wants,
      (report) => {
        const at = this.#host.clock.now();
        if (report.type === 'sent') this.#lastSentAt = at.mono;
        task.apply({ type: 'send', at, report });
      },
      signal,
    );
    this.#sending = sending.then(
      () => {
        if (signal.aborted) this.#calledOff(task, fields);
      },
      (error: unknown) => this.#fault(task, error),
    );
  }

  /** Of a send that was called off, what had not left by its end never will. */
  #calledOff(task: LiveTask, fields: readonly string[]): void {
    const held = task.current.fields.filter((track) => !track.sentAt && fields.includes(track.field));
    if (held.length > 0)
      task.apply(
        wentAway(
          held.map((track) => track.field),
          this.#host.clock.now(),
        ),
      );
  }

  /** A device that throws breaks its promise; the command ends as a fault of ours and the lane goes on. */
  #fault(task: LiveTask, error: unknown): void {
    const message = messageOf(error);
    this.#host.log.error({ device: this.#device.spec.id, task: task.id, error: message }, 'the device failed inside');
    task.apply({ type: 'failed', at: this.#host.clock.now(), message });
  }

  #notice(): void {
    const before = this.#known;
    this.#known = this.#device.state();
    if (differs(before, this.#known)) this.#host.changed(this.#device.spec.id);
  }

  #release(task: LiveTask): void {
    const watch = watchOf(task.current);
    if (watch) this.#drift.begin(watch);
    const index = this.#waiting.indexOf(task);
    if (index >= 0) this.#waiting.splice(index, 1);
    this.#poller.leave(task);
    // Requests of this command that have not left yet must not leave any more.
    this.#inFlight.get(task)?.abort();
    this.#inFlight.delete(task);
    this.#next();
  }

  #next(): void {
    if (this.#inFlight.size > 0) return;
    const task = this.#waiting.shift();
    if (!task) return;
    const callOff = new AbortController();
    this.#inFlight.set(task, callOff);
    this.#begin(task, callOff.signal).catch((error: unknown) => this.#fault(task, error));
  }

  #readBack(task: LiveTask): void {
    this.#notePush(task);
    this.#poller.follow(task);
  }

  /** The record says how the device could be read back when it was made; what stands in between may have broken. */
  #notePush(task: LiveTask): void {
    const { push } = this.#device.state();
    const at = this.#host.clock.now();
    task.apply({ type: 'device', at, report: { type: 'push', at, push } });
  }

  async #begin(task: LiveTask, signal: AbortSignal): Promise<void> {
    await this.#sending;
    await this.#gap();
    this.#notePush(task);
    const look = await lookBefore(this.#device, task.current, this.#host.clock);
    // Where the device went meanwhile, its turn comes in the lane of the device that returns.
    if (!signal.aborted) task.apply({ type: 'started', at: this.#host.clock.now(), ...look });
  }

  async #gap(): Promise<void> {
    const free = this.#lastSentAt + this.#device.spec.minGapMs;
    if (free <= this.#host.clock.now().mono) return;
    await new Promise<void>((resolve) => {
      this.#host.clock.at(free, resolve);
    });
  }
}

/** The device of a command has gone, and these fields of it stay unsent. */
export function wentAway(fields: readonly string[], at: Instant): Extract<ActuationEvent, { type: 'send' }> {
  const detail = 'the device went away before this could leave';
  return { type: 'send', at, report: { type: 'not_sent', fields, reason: 'offline', detail } };
}

function overlaps(older: LiveTask, newer: LiveTask): boolean {
  const fields = new Set(newer.current.fields.map((track) => track.field));
  return older.current.fields.some((track) => fields.has(track.field));
}

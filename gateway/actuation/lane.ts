import type { Device } from '../domain/device.ts';
import { type Watch, watchOf } from '../domain/drift.ts';
import { messageOf } from '../domain/errors.ts';
import type { DeviceState } from '../domain/reading.ts';
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
 * One device's commands: one in flight at a time, `min_gap` between two, and a newer command for the same field takes
 * the place of an older one that has not settled.
 */
export class Lane {
  readonly #host: LaneHost;
  readonly #drift: DriftWatch;
  #device: Device;
  #poller: Poller;
  readonly #waiting: LiveTask[] = [];
  #known: DeviceState;
  #current: LiveTask | null = null;
  #sending: Promise<void> = Promise.resolve();
  #noMore = new AbortController();
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
      this.#current?.apply({ type: 'device', at: report.at, report });
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
    if (this.#current) this.resume(this.#current);
  }

  stop(): void {
    this.#unsubscribe();
    this.#poller.stop();
    this.#drift.stop();
    this.#noMore.abort();
  }

  /** Takes in what a command did before the gateway stopped: its fields were its own, and may be watched still. */
  recall(fields: readonly string[], watch: Watch | null): void {
    this.#drift.release(fields);
    if (watch) this.#drift.begin(watch);
  }

  /** A command that was in flight when the gateway stopped goes on being verified. */
  resume(task: LiveTask): void {
    this.#current = task;
    this.#notePush(task);
    this.#poller.follow(task);
  }

  /** Takes a command in, once; it starts when its turn comes. */
  enqueue(task: LiveTask): void {
    if (task === this.#current || this.#waiting.includes(task)) return;
    for (const older of [this.#current, ...this.#waiting]) {
      if (older && overlaps(older, task)) older.apply({ type: 'superseded', at: this.#host.clock.now(), by: task.id });
    }
    this.#waiting.push(task);
    this.#next();
  }

  /** A task of this device has a new state. */
  follow(task: LiveTask): void {
    if (task.current.outcome) this.#release(task);
    else if (task === this.#current) this.#poller.follow(task);
  }

  ask(task: LiveTask, fields: readonly string[]): void {
    void this.#poller.ask(task, fields);
  }

  openRead(task: LiveTask): Promise<void> | null {
    return this.#poller.openRead(task);
  }

  /** Sends; every report goes to the task, whatever became of it meanwhile. */
  send(task: LiveTask, wants: Readonly<Record<string, Value>>): void {
    const { signal } = this.#noMore;
    this.#drift.release(Object.keys(wants));
    const sending = this.#device.send(
      wants,
      (report) => {
        const at = this.#host.clock.now();
        if (report.type === 'sent') this.#lastSentAt = at.mono;
        task.apply({ type: 'send', at, report });
      },
      signal,
    );
    this.#sending = sending.catch((error: unknown) => this.#fault(task, error));
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
    if (task !== this.#current) return;
    this.#poller.stop();
    // Requests of this command that have not left yet must not leave any more.
    this.#noMore.abort();
    this.#noMore = new AbortController();
    this.#current = null;
    this.#next();
  }

  #next(): void {
    if (this.#current) return;
    const task = this.#waiting.shift();
    if (!task) return;
    this.#current = task;
    this.#begin(task).catch((error: unknown) => this.#fault(task, error));
  }

  /** The record says how the device could be read back when it was made; what stands in between may have broken. */
  #notePush(task: LiveTask): void {
    const { push } = this.#device.state();
    const at = this.#host.clock.now();
    task.apply({ type: 'device', at, report: { type: 'push', at, push } });
  }

  async #begin(task: LiveTask): Promise<void> {
    await this.#sending;
    await this.#gap();
    this.#notePush(task);
    const look = await lookBefore(this.#device, task.current, this.#host.clock);
    task.apply({ type: 'started', at: this.#host.clock.now(), ...look });
  }

  async #gap(): Promise<void> {
    const free = this.#lastSentAt + this.#device.spec.minGapMs;
    if (free <= this.#host.clock.now().mono) return;
    await new Promise<void>((resolve) => {
      this.#host.clock.at(free, resolve);
    });
  }
}

function overlaps(older: LiveTask, newer: LiveTask): boolean {
  const fields = new Set(newer.current.fields.map((track) => track.field));
  return older.current.fields.some((track) => fields.has(track.field));
}

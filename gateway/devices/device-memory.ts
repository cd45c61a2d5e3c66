import type { AvailabilityReport, DeviceReport, DeviceState, KnownValue, Reading } from '../domain/reading.ts';
import type { Clock, Instant } from '../domain/time.ts';
import type { Value } from '../domain/value.ts';

/** What a device has said so far, and who listens. Every report goes through `publish`, so both always agree. */
export class DeviceMemory {
  readonly #clock: Clock;
  readonly #listeners = new Set<(report: DeviceReport) => void>();
  readonly #values = new Map<string, KnownValue>();
  #online: boolean | null = null;
  #onlineAt: Instant | null = null;
  #heardAt: Instant | null = null;
  #push: Readonly<Record<string, boolean>> = {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  state(): DeviceState {
    return {
      values: Object.fromEntries(this.#values),
      online: this.#online,
      onlineAt: this.#onlineAt,
      heardAt: this.#heardAt,
      push: this.#push,
    };
  }

  subscribe(listener: (report: DeviceReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps a report and tells it to everybody. */
  publish(report: DeviceReport): void {
    if (report.type === 'reading') this.#keepReading(report);
    else if (report.type === 'availability') this.#keepAvailability(report);
    else if (report.type === 'push') this.#push = { ...this.#push, ...report.push };
    for (const listener of [...this.#listeners]) listener(report);
  }

  /** Publishes whether the device can be reached, where that is news. */
  noteOnline(online: boolean): void {
    if (online === this.#online) return;
    this.publish({ type: 'availability', at: this.#clock.now(), online, retained: false });
  }

  /** Publishes of which fields the device speaks by itself now, as far as that is news. */
  notePush(push: Readonly<Record<string, boolean>>): void {
    const news = Object.entries(push).filter(([field, speaks]) => this.#push[field] !== speaks);
    if (news.length > 0) this.publish({ type: 'push', at: this.#clock.now(), push: Object.fromEntries(news) });
  }

  /** Values from before this run. What the device itself has said since is not touched. */
  recall(values: Readonly<Record<string, Value | null>>): void {
    const at = this.#clock.now();
    for (const [field, value] of Object.entries(values)) {
      if (!this.#values.get(field)?.live) this.#values.set(field, { value, at, live: false });
    }
  }

  #keepReading(reading: Reading): void {
    const live = !reading.retained;
    if (live) this.#heardAt = reading.at;
    for (const [field, value] of Object.entries(reading.values)) {
      if (live || !this.#values.get(field)?.live) this.#values.set(field, { value, at: reading.at, live });
    }
  }

  #keepAvailability(report: AvailabilityReport): void {
    this.#online = report.online;
    this.#onlineAt = report.at;
  }
}

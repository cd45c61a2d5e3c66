import type { DeviceSpec } from '../domain/device.ts';
import type { DeviceReport } from '../domain/reading.ts';
import type { Clock } from '../domain/time.ts';
import { equal, type Value } from '../domain/value.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { Wants } from './device-part.ts';

/**
 * Which fields of a command the device has taken on so far, for the fields whose limits depend on them: a setpoint that
 * only heating allows gets lost if it arrives before the mode is in force. An echo is enough here; it is no verdict.
 */
export class Confirmations {
  readonly #spec: DeviceSpec;
  readonly #clock: Clock;
  readonly #wants: Wants;
  readonly #done = new Set<string>();
  /** The latest moment, on `mono`, to wait for: most of the deadline must be left for the fields that come later. */
  readonly #patience: number;
  readonly #unsubscribe: () => void;
  #wake: () => void = () => {};

  constructor(spec: DeviceSpec, memory: DeviceMemory, clock: Clock, wants: Wants) {
    this.#spec = spec;
    this.#clock = clock;
    this.#wants = wants;
    this.#patience = clock.now().mono + spec.verify.deadlineMs / 4;
    for (const [field, known] of Object.entries(memory.state().values)) if (known.live) this.#note(field, known.value);
    this.#unsubscribe = memory.subscribe((report) => this.#hear(report));
  }

  /** Resolves once the device has reported these fields as they were sent, or has been waited for long enough. */
  async of(fields: readonly string[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted && fields.some((field) => this.#isOpen(field))) {
      if (this.#clock.now().mono >= this.#patience) return;
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.at(this.#patience, resolve);
        const done = () => {
          cancel();
          resolve();
        };
        this.#wake = done;
        signal.addEventListener('abort', done, { once: true });
      });
    }
  }

  /** Nothing will be reported of these. */
  giveUp(fields: readonly string[]): void {
    for (const field of fields) this.#done.add(field);
    this.#wake();
  }

  end(): void {
    this.#unsubscribe();
  }

  #isOpen(field: string): boolean {
    return this.#spec.fields[field]?.readback.readable === true && !this.#done.has(field);
  }

  #hear(report: DeviceReport): void {
    if (report.type !== 'reading' || report.retained) return;
    for (const [field, value] of Object.entries(report.values)) this.#note(field, value);
    this.#wake();
  }

  #note(field: string, value: Value | null): void {
    const wanted = this.#wants[field];
    const spec = this.#spec.fields[field];
    if (!spec || wanted === undefined || value === null) return;
    if (equal(spec.compare, wanted, value)) this.#done.add(field);
  }
}

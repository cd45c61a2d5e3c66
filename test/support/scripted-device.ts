import type { Device, DeviceSpec, ReadOutcome, SendReport } from '../../gateway/domain/device.ts';
import type { DeviceReport, DeviceState, KnownValue, Reading } from '../../gateway/domain/reading.ts';
import type { Clock, Instant } from '../../gateway/domain/time.ts';
import type { Value } from '../../gateway/domain/value.ts';

/** A device in memory that is only known by asking, and obeys after a delay unless it is told not to. */
export class ScriptedDevice implements Device {
  readonly spec: DeviceSpec;
  readonly sends: { readonly mono: number; readonly wants: Readonly<Record<string, Value>> }[] = [];
  readonly reads: number[] = [];
  /** What the device really is. */
  readonly truth: Record<string, Value>;
  obeys = true;
  answers = true;
  delayMs = 4_000;
  /** How long an answer to a question takes. */
  answerMs = 0;
  /** Replaces the usual sent and accepted. */
  onSend: ((report: (report: SendReport) => void) => Promise<void>) | null = null;
  #values: Record<string, KnownValue> = {};
  #push: Readonly<Record<string, boolean>> = {};
  readonly #clock: Clock;
  readonly #listeners = new Set<(report: DeviceReport) => void>();

  constructor(spec: DeviceSpec, clock: Clock, truth: Record<string, Value>) {
    this.spec = spec;
    this.#clock = clock;
    this.truth = truth;
  }

  state(): DeviceState {
    return { values: this.#values, online: null, onlineAt: null, heardAt: null, push: this.#push };
  }

  subscribe(listener: (report: DeviceReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async read(): Promise<ReadOutcome> {
    const beganAt = this.#clock.now();
    this.reads.push(beganAt.mono);
    if (this.answerMs > 0) await this.#pass(this.answerMs);
    if (!this.answers) return { answered: false, detail: 'connection refused' };
    this.#tell('read', beganAt);
    return { answered: true };
  }

  /** Says of its own accord how it stands. */
  report(): void {
    this.#tell('report', this.#clock.now());
  }

  /** The way on which it speaks by itself comes up or breaks. */
  notePush(push: Readonly<Record<string, boolean>>): void {
    this.#push = push;
    for (const listener of this.#listeners) listener({ type: 'push', at: this.#clock.now(), push });
  }

  #tell(source: Reading['source'], beganAt: Instant): void {
    const at = this.#clock.now();
    const values = { ...this.truth };
    this.recall(values);
    const reading: Reading = {
      type: 'reading',
      at,
      beganAt,
      source,
      retained: false,
      values,
      moving: {},
      excluded: [],
      acks: {},
    };
    for (const listener of this.#listeners) listener(reading);
  }

  async send(wants: Readonly<Record<string, Value>>, report: (report: SendReport) => void): Promise<void> {
    const fields = Object.keys(wants);
    this.sends.push({ mono: this.#clock.now().mono, wants });
    if (this.onSend) return this.onSend(report);
    report({ type: 'sent', fields });
    report({ type: 'accepted', fields });
    if (this.obeys) this.#clock.at(this.#clock.now().mono + this.delayMs, () => Object.assign(this.truth, wants));
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.at(this.#clock.now().mono + ms, resolve);
    });
  }

  recall(values: Readonly<Record<string, Value | null>>): void {
    const at = this.#clock.now();
    const known = Object.entries(values).map(([field, value]) => [field, { value, at, live: true }] as const);
    this.#values = { ...this.#values, ...Object.fromEntries(known) };
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}
}

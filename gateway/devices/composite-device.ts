import type { Device, DeviceSpec, ReadOutcome, SendReport } from '../domain/device.ts';
import type { DeviceReport, DeviceState } from '../domain/reading.ts';
import type { Clock } from '../domain/time.ts';
import type { Value } from '../domain/value.ts';
import { Confirmations } from './confirmations.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { DevicePart, TellSend, Wants, WriteStep } from './device-part.ts';

export interface CompositeOptions {
  readonly spec: DeviceSpec;
  readonly memory: DeviceMemory;
  readonly parts: readonly DevicePart[];
  /** Field → the fields on which its limits or its meaning depend. */
  readonly dependsOn: ReadonlyMap<string, readonly string[]>;
  readonly clock: Clock;
}

/** A device in one piece, whichever ways its fields go: one memory, one order of writing. */
export class CompositeDevice implements Device {
  readonly spec: DeviceSpec;
  readonly #memory: DeviceMemory;
  readonly #parts: readonly DevicePart[];
  readonly #dependsOn: CompositeOptions['dependsOn'];
  readonly #clock: Clock;

  constructor(options: CompositeOptions) {
    this.spec = options.spec;
    this.#memory = options.memory;
    this.#parts = options.parts;
    this.#dependsOn = options.dependsOn;
    this.#clock = options.clock;
  }

  state(): DeviceState {
    return this.#memory.state();
  }

  subscribe(listener: (report: DeviceReport) => void): () => void {
    return this.#memory.subscribe(listener);
  }

  recall(values: Readonly<Record<string, Value | null>>): void {
    this.#memory.recall(values);
  }

  async read(fields: readonly string[], urgent = false): Promise<ReadOutcome> {
    const questions = this.#parts.map((part) => part.ask(fields, urgent)).filter((asked) => asked !== undefined);
    if (questions.length === 0) return { answered: false, detail: 'the device cannot be asked for this' };
    const outcomes = await Promise.all(questions);
    return outcomes.find((outcome) => !outcome.answered) ?? { answered: true };
  }

  async send(wants: Wants, report: TellSend, signal: AbortSignal): Promise<void> {
    const steps = this.#stepsInOrder(wants);
    const written = new Set(steps.flatMap((step) => step.fields));
    const unwritten = Object.keys(wants).filter((field) => !written.has(field));
    if (unwritten.length > 0) {
      report({ type: 'not_sent', fields: unwritten, reason: 'read_only', detail: 'nothing writes this' });
    }
    const confirmations = new Confirmations(this.spec, this.#memory, this.#clock, wants);
    const tell = (sent: SendReport) => {
      if (sent.type === 'sent') for (const part of this.#parts) part.beginAnew();
      if (sent.type === 'refused' || sent.type === 'not_sent') confirmations.giveUp(sent.fields);
      report(sent);
    };
    const earlier = new Set<string>();
    try {
      for (const step of steps) {
        await confirmations.of(this.#needed(step, earlier), signal);
        if (signal.aborted) return;
        await step.send(tell, signal);
        for (const field of step.fields) earlier.add(field);
      }
    } finally {
      confirmations.end();
    }
  }

  async start(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.stop()));
  }

  #stepsInOrder(wants: Wants): WriteStep[] {
    const { order } = this.spec;
    const rank = (field: string) => order.indexOf(field);
    const ordered = Object.fromEntries(Object.entries(wants).sort(([a], [b]) => rank(a) - rank(b)));
    const first = (step: WriteStep) => Math.min(...step.fields.map(rank));
    return this.#parts.flatMap((part) => part.steps(ordered)).sort((a, b) => first(a) - first(b));
  }

  /** The fields of this command, sent already, by which this step's values are judged: mode before setpoint. */
  #needed(step: WriteStep, earlier: ReadonlySet<string>): string[] {
    return step.fields.flatMap((field) => (this.#dependsOn.get(field) ?? []).filter((other) => earlier.has(other)));
  }
}

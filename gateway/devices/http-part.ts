import type { DeviceSpec, ReadOutcome } from '../domain/device.ts';
import type { Log } from '../domain/log.ts';
import type { Clock } from '../domain/time.ts';
import type { HttpTransport } from '../transports/http-transport.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { DevicePart, Wants, WriteStep } from './device-part.ts';
import { HttpEvents } from './http-events.ts';
import type { HttpPlan } from './http-plan.ts';
import { HttpReads } from './http-reads.ts';
import { HttpWrites } from './http-writes.ts';

export interface HttpPartDeps {
  readonly spec: DeviceSpec;
  readonly plan: HttpPlan;
  readonly transport: HttpTransport;
  readonly clock: Clock;
  readonly memory: DeviceMemory;
  readonly log: Log;
}

/** The fields of a device that go over HTTP. */
export class HttpPart implements DevicePart {
  readonly #deps: HttpPartDeps;
  readonly #reads: HttpReads;
  readonly #writes: HttpWrites;
  readonly #streams: readonly HttpEvents[];
  /** Request → calls off its next background read. */
  readonly #timers = new Map<string, () => void>();
  #stopped = false;

  constructor(deps: HttpPartDeps) {
    this.#deps = deps;
    this.#reads = new HttpReads(deps);
    this.#writes = new HttpWrites({ ...deps, reads: this.#reads });
    const onOpen = () => this.#noteOpen();
    const onBreak = () => this.#noteBreak();
    this.#streams = deps.plan.streams.map((stream) => new HttpEvents(stream, { ...deps, onOpen, onBreak }));
  }

  steps(wants: Wants): WriteStep[] {
    return this.#writes.steps(wants);
  }

  ask(fields: readonly string[], urgent: boolean): Promise<ReadOutcome> | undefined {
    const requests = new Set(fields.flatMap((field) => this.#deps.plan.askers.get(field) ?? []));
    return requests.size === 0 ? undefined : this.#askAll([...requests], urgent);
  }

  beginAnew(): void {
    this.#reads.beginAnew();
    for (const stream of this.#streams) stream.beginAnew();
  }

  /** Opens the streams and begins the background reads, each with a first one at once. */
  async start(): Promise<void> {
    const { plan, clock } = this.#deps;
    for (const stream of this.#streams) stream.start();
    for (const [request, periodMs] of plan.periods) this.#refresh(request, periodMs, clock.now().mono);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#deps.transport.close();
  }

  async #askAll(requests: readonly string[], urgent: boolean): Promise<ReadOutcome> {
    const answers = await Promise.all(requests.map((request) => this.#reads.ask(request, urgent)));
    const silent = answers.find((answer) => answer.type === 'silent');
    return silent ? { answered: false, detail: silent.detail } : { answered: true };
  }

  /** A stream that stands is a sign of life. */
  #noteOpen(): void {
    const { plan, memory } = this.#deps;
    if (plan.availability !== undefined) memory.noteOnline(true);
  }

  /** Only an answer can tell whether the device went with its stream. */
  #noteBreak(): void {
    const { availability } = this.#deps.plan;
    if (availability !== undefined && !this.#stopped) void this.#reads.ask(availability, false);
  }

  #refresh(request: string, periodMs: number, mono: number): void {
    const { clock } = this.#deps;
    const run = async () => {
      if (!this.#isTold(request)) await this.#reads.ask(request, false);
      // Counted from the end, so that a device that is slower than its period is not asked without a pause.
      if (!this.#stopped) this.#refresh(request, periodMs, clock.now().mono + periodMs);
    };
    this.#timers.set(
      request,
      clock.at(mono, () => void run()),
    );
  }

  /** Whether the device speaks by itself of everything that this request would tell. */
  #isTold(request: string): boolean {
    const { plan, memory } = this.#deps;
    const { push } = memory.state();
    return (plan.readers.get(request) ?? []).every(({ field }) => push[field] === true);
  }
}

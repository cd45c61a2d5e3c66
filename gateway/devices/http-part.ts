import type { DeviceSpec, ReadOutcome } from '../domain/device.ts';
import type { Clock } from '../domain/time.ts';
import type { HttpTransport } from '../transports/http-transport.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { DevicePart, Wants, WriteStep } from './device-part.ts';
import type { HttpPlan } from './http-plan.ts';
import { HttpReads } from './http-reads.ts';
import { HttpWrites } from './http-writes.ts';

export interface HttpPartDeps {
  readonly spec: DeviceSpec;
  readonly plan: HttpPlan;
  readonly transport: HttpTransport;
  readonly clock: Clock;
  readonly memory: DeviceMemory;
}

/** The fields of a device that go over HTTP. */
export class HttpPart implements DevicePart {
  readonly #plan: HttpPlan;
  readonly #transport: HttpTransport;
  readonly #clock: Clock;
  readonly #reads: HttpReads;
  readonly #writes: HttpWrites;
  /** Request → calls off its next background read. */
  readonly #timers = new Map<string, () => void>();
  #stopped = false;

  constructor(deps: HttpPartDeps) {
    this.#plan = deps.plan;
    this.#transport = deps.transport;
    this.#clock = deps.clock;
    this.#reads = new HttpReads(deps);
    this.#writes = new HttpWrites({ ...deps, reads: this.#reads });
  }

  steps(wants: Wants): WriteStep[] {
    return this.#writes.steps(wants);
  }

  ask(fields: readonly string[]): Promise<ReadOutcome> | undefined {
    const requests = new Set(fields.flatMap((field) => this.#plan.askers.get(field) ?? []));
    return requests.size === 0 ? undefined : this.#askAll([...requests]);
  }

  beginAnew(): void {
    this.#reads.beginAnew();
  }

  /** Begins the background reads, each with a first one at once. */
  async start(): Promise<void> {
    for (const [request, periodMs] of this.#plan.periods) this.#refresh(request, periodMs, this.#clock.now().mono);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#transport.close();
  }

  async #askAll(requests: readonly string[]): Promise<ReadOutcome> {
    const answers = await Promise.all(requests.map((request) => this.#reads.ask(request)));
    const silent = answers.find((answer) => answer.type === 'silent');
    return silent ? { answered: false, detail: silent.detail } : { answered: true };
  }

  #refresh(request: string, periodMs: number, mono: number): void {
    const run = async () => {
      await this.#reads.ask(request);
      // Counted from the end, so that a device that is slower than its period is not asked without a pause.
      if (!this.#stopped) this.#refresh(request, periodMs, this.#clock.now().mono + periodMs);
    };
    this.#timers.set(
      request,
      this.#clock.at(mono, () => void run()),
    );
  }
}

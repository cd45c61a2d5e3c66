import type { DeviceConfig } from '../config/schema-device.ts';
import type { Device, DeviceSpec, ReadOutcome, SendReport } from '../domain/device.ts';
import { StartError } from '../domain/errors.ts';
import type { DeviceReport, DeviceState } from '../domain/reading.ts';
import type { Clock } from '../domain/time.ts';
import type { Value } from '../domain/value.ts';
import { HttpTransport } from '../transports/http-transport.ts';
import type { MqttLink } from '../transports/mqtt-link.ts';
import { DeviceMemory } from './device-memory.ts';
import { compileSpec } from './device-spec.ts';
import { compileHttpPlan, type HttpPlan } from './http-plan.ts';
import { HttpReads } from './http-reads.ts';
import { HttpWrites } from './http-writes.ts';

/** What a device needs from the rest of the gateway. */
export interface DeviceDeps {
  readonly clock: Clock;
  /** The connection to the broker; absent where nothing of the home uses MQTT. */
  readonly mqtt?: MqttLink;
}

/**
 * A device that is reached over HTTP, from its entry in the configuration.
 * @throws StartError where the entry cannot be carried out, naming the key
 */
export function buildHttpDevice(id: string, config: DeviceConfig, deps: DeviceDeps): Device {
  const { http } = config;
  const plan = compileHttpPlan(id, config);
  if (!http) throw new StartError(`devices.${id}: needs http with the base address of the device`, 2);
  const spec = compileSpec(id, config);
  const transport = new HttpTransport({ base: http.base, timeoutMs: http.timeout, parallel: http.parallel });
  return new HttpDevice(spec, plan, transport, deps.clock);
}

class HttpDevice implements Device {
  readonly spec: DeviceSpec;
  readonly #plan: HttpPlan;
  readonly #transport: HttpTransport;
  readonly #clock: Clock;
  readonly #memory: DeviceMemory;
  readonly #reads: HttpReads;
  readonly #writes: HttpWrites;
  /** Request → calls off its next background read. */
  readonly #timers = new Map<string, () => void>();
  #stopped = false;

  constructor(spec: DeviceSpec, plan: HttpPlan, transport: HttpTransport, clock: Clock) {
    this.spec = spec;
    this.#plan = plan;
    this.#transport = transport;
    this.#clock = clock;
    this.#memory = new DeviceMemory(clock);
    const deps = { spec, plan, transport, clock, memory: this.#memory };
    this.#reads = new HttpReads(deps);
    this.#writes = new HttpWrites({ ...deps, reads: this.#reads });
  }

  state(): DeviceState {
    return this.#memory.state();
  }

  subscribe(listener: (report: DeviceReport) => void): () => void {
    return this.#memory.subscribe(listener);
  }

  async read(fields: readonly string[]): Promise<ReadOutcome> {
    const requests = new Set(fields.flatMap((field) => this.#plan.askers.get(field) ?? []));
    if (requests.size === 0) return { answered: false, detail: 'the device cannot be asked for this' };
    const answers = await Promise.all([...requests].map((request) => this.#reads.ask(request)));
    const silent = answers.find((answer) => answer.type === 'silent');
    return silent ? { answered: false, detail: silent.detail } : { answered: true };
  }

  send(
    wants: Readonly<Record<string, Value>>,
    report: (report: SendReport) => void,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#writes.send(wants, report, signal);
  }

  recall(values: Readonly<Record<string, Value | null>>): void {
    this.#memory.recall(values);
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

import type { DeviceSpec } from '../domain/device.ts';
import type { Clock } from '../domain/time.ts';
import type { Reason } from '../domain/verdict.ts';
import type { HttpResult } from '../transports/http-exchange.ts';
import type { HttpTransport } from '../transports/http-transport.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { TellSend, Wants, WriteStep } from './device-part.ts';
import { emptyReading, readAcks } from './field-reader.ts';
import type { HttpPlan } from './http-plan.ts';
import { describeAnswer, type HttpReads, isSuccess } from './http-reads.ts';
import type { DeviceRequest } from './http-request.ts';
import { deviceWords } from './wants.ts';

interface Deps {
  readonly spec: DeviceSpec;
  readonly plan: HttpPlan;
  readonly transport: HttpTransport;
  readonly memory: DeviceMemory;
  readonly clock: Clock;
  readonly reads: HttpReads;
}

/** Commands over HTTP: the fields of one request leave together. */
export class HttpWrites {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  steps(wants: Wants): WriteStep[] {
    const { plan } = this.#deps;
    const groups = new Map<DeviceRequest, string[]>();
    for (const field of Object.keys(wants)) {
      const request = plan.requests.get(plan.writers.get(field) ?? '');
      if (request) groups.set(request, [...(groups.get(request) ?? []), field]);
    }
    return [...groups].map(([request, fields]) => ({
      fields,
      send: (report, signal) => this.#sendGroup(request, fields, wants, report, signal),
    }));
  }

  async #sendGroup(
    request: DeviceRequest,
    fields: string[],
    wants: Wants,
    report: TellSend,
    signal: AbortSignal,
  ): Promise<void> {
    const notSent = (reason: Reason, detail: string) => report({ type: 'not_sent', fields, reason, detail });
    const before = await this.#readBefore(request);
    if (signal.aborted) return;
    if (!before.ok) return notSent(before.reason, before.detail);
    const want = deviceWords(this.#deps.spec, wants);
    const [only] = fields.length === 1 ? fields : [];
    const built = request.build({
      want,
      ...(only !== undefined && { value: want[only] }),
      ...(before.state !== undefined && { state: before.state }),
    });
    if (!built.ok) return notSent('device_error', built.detail);
    let dispatched = false;
    const result = await this.#deps.transport.request(built.request, {
      signal,
      urgent: true,
      onDispatch: () => {
        dispatched = true;
        report({ type: 'sent', fields });
      },
    });
    if (result.type === 'answer') this.#onAnswer(request, fields, result, report);
    // Even one that certainly did not arrive was attempted: whether the device stands as wanted is for readings to say.
    else if (dispatched) report({ type: 'lost', fields, detail: result.detail });
    else if (!signal.aborted) notSent('delivery_failed', result.detail);
  }

  /** The read in read-modify-write: without a good answer nothing may be written. */
  async #readBefore(
    request: DeviceRequest,
  ): Promise<{ ok: true; state?: unknown } | { ok: false; reason: Reason; detail: string }> {
    if (request.before === undefined) return { ok: true };
    const asked = await this.#deps.reads.ask(request.before, true);
    if (asked.type === 'good') return { ok: true, state: asked.payload.value_json ?? asked.payload.value };
    const reason = asked.type === 'silent' ? 'delivery_failed' : 'device_error';
    return { ok: false, reason, detail: `reading ${request.before} before the write: ${asked.detail}` };
  }

  #onAnswer(
    request: DeviceRequest,
    fields: readonly string[],
    answer: Extract<HttpResult, { type: 'answer' }>,
    report: TellSend,
  ): void {
    const { payload } = request.decode(answer.text);
    if (!isSuccess(answer.status) || request.rejects(payload)) {
      const detail = describeAnswer(answer);
      report({ type: 'refused', fields, reason: refusalOf(answer.status), detail });
      return;
    }
    report({ type: 'accepted', fields });
    const { spec, plan, memory, clock } = this.#deps;
    const acks = readAcks(spec, plan.acks.get(request.name) ?? [], payload);
    if (Object.keys(acks).length === 0) return;
    const at = clock.now();
    memory.publish({ ...emptyReading({ at, beganAt: at, source: 'report', retained: false }), acks });
  }
}

/** The reason that a status gives; a refusal inside a 2xx is the device's own error. */
function refusalOf(status: number): Reason {
  switch (status) {
    case 401:
    case 403:
      return 'auth_failed';
    case 404:
      return 'not_found';
    case 429:
      return 'auth_throttled';
    default:
      return 'device_error';
  }
}

import type { DeviceSpec } from '../domain/device.ts';
import type { Clock, Instant } from '../domain/time.ts';
import type { HttpResult } from '../transports/http-exchange.ts';
import type { HttpTransport } from '../transports/http-transport.ts';
import type { DeviceMemory } from './device-memory.ts';
import { emptyReading, type Receipt, readPayload } from './field-reader.ts';
import type { HttpPlan } from './http-plan.ts';
import type { Payload } from './payload.ts';

/** What became of one question. */
export type Asked =
  | { readonly type: 'good'; readonly payload: Payload }
  /** It answered, so it lives, but its answer says nothing: not 2xx, garbled, or a true `reject`. */
  | { readonly type: 'bad'; readonly detail: string }
  | { readonly type: 'silent'; readonly detail: string };

interface Deps {
  readonly spec: DeviceSpec;
  readonly plan: HttpPlan;
  readonly transport: HttpTransport;
  readonly memory: DeviceMemory;
  readonly clock: Clock;
}

/** A question that has not been answered. */
interface Question {
  readonly urgent: boolean;
  /** Until it has left, it may have to wait, or be refused because the device seems to be gone. */
  hasLeft: boolean;
}

/** The questions to an HTTP device. Each answer is published as one reading of all the fields that it carries. */
export class HttpReads {
  readonly #deps: Deps;
  readonly #open = new Map<string, { readonly question: Question; readonly answer: Promise<Asked> }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Makes a request, or shares the one of the same name that is under way; what is urgent shares no other that has not
   * left yet. @param urgent see `Departure`
   */
  ask(name: string, urgent: boolean): Promise<Asked> {
    const open = this.#open.get(name);
    if (open && (open.question.hasLeft || open.question.urgent || !urgent)) return open.answer;
    const question: Question = { urgent, hasLeft: false };
    const answer = this.#ask(name, question).finally(() => {
      if (this.#open.get(name)?.question === question) this.#open.delete(name);
    });
    this.#open.set(name, { question, answer });
    return answer;
  }

  /** From here on nobody shares an answer that was asked for before. */
  beginAnew(): void {
    this.#open.clear();
  }

  async #ask(name: string, question: Question): Promise<Asked> {
    const { spec, plan, transport, memory, clock } = this.#deps;
    const request = plan.requests.get(name);
    if (!request) return { type: 'silent', detail: `there is no request "${name}"` };
    const built = request.build({});
    if (!built.ok) return { type: 'silent', detail: built.detail };
    let beganAt: Instant | undefined;
    const result = await transport.request(built.request, {
      urgent: question.urgent,
      onDispatch: () => {
        question.hasLeft = true;
        beganAt = clock.now();
      },
    });
    if (result.type !== 'answer') {
      // Whoever was not asked has not failed to answer.
      if (beganAt && plan.availability === name) memory.noteOnline(false);
      return { type: 'silent', detail: result.detail };
    }
    const at = clock.now();
    const receipt: Receipt = { at, beganAt: beganAt ?? at, source: 'read', retained: false };
    const decoded = request.decode(result.text);
    const fault = !isSuccess(result.status)
      ? describeAnswer(result)
      : !decoded.ok
        ? decoded.detail
        : request.rejects(decoded.payload)
          ? describeAnswer(result)
          : undefined;
    if (plan.availability === name) memory.noteOnline(true);
    if (fault !== undefined) {
      memory.publish(emptyReading(receipt));
      return { type: 'bad', detail: fault };
    }
    memory.publish(readPayload(spec, plan.readers.get(name) ?? [], decoded.payload, receipt));
    return { type: 'good', payload: decoded.payload };
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Status and the beginning of the body, for people; of a redirect, where the device would rather be asked. */
export function describeAnswer({ status, headers, text }: Extract<HttpResult, { type: 'answer' }>): string {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    return `HTTP ${status} to ${location.slice(0, 200)}: redirects are not followed, so write that address into http.base`;
  }
  return `HTTP ${status} ${text.replace(/\s+/g, ' ').slice(0, 200)}`.trim();
}

import type { DeviceSpec, ReadOutcome } from '../domain/device.ts';
import type { Clock } from '../domain/time.ts';
import type { MqttLink, MqttMessage } from '../transports/mqtt-link.ts';
import { truth } from './condition.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { DevicePart, TellSend, Wants, WriteStep } from './device-part.ts';
import { emptyReading, type Receipt, readAcks, readPayload } from './field-reader.ts';
import { MqttAvailability } from './mqtt-availability.ts';
import { type MqttTemplate, readMessage } from './mqtt-message.ts';
import type { MqttAsker, MqttPlan } from './mqtt-plan.ts';
import { MqttQuestions } from './mqtt-questions.ts';
import { type Payload, walk } from './payload.ts';
import { deviceWords } from './wants.ts';

/** Longest wait for the answer to a question, in ms; a short deadline makes it shorter. */
const PATIENCE_MS = 5_000;

interface Deps {
  readonly spec: DeviceSpec;
  readonly plan: MqttPlan;
  readonly link: MqttLink;
  readonly clock: Clock;
  readonly memory: DeviceMemory;
}

/** The fields of a device that go over MQTT. It says nothing of a broker that is down: the device is silent then. */
export class MqttPart implements DevicePart {
  readonly #deps: Deps;
  readonly #questions: MqttQuestions;
  readonly #availability: MqttAvailability | undefined;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(deps: Deps) {
    const { plan, link, clock, spec } = deps;
    this.#deps = deps;
    this.#questions = new MqttQuestions(link, clock, Math.min(PATIENCE_MS, spec.verify.deadlineMs / 4));
    this.#availability = plan.availability && new MqttAvailability(plan.availability);
  }

  /** One message a field: a device that takes them in turn is told the mode before the setpoint. */
  steps(wants: Wants): WriteStep[] {
    const { spec, plan } = this.#deps;
    const want = deviceWords(spec, wants);
    return Object.keys(wants).flatMap((field) => {
      const message = plan.writers.get(field);
      if (!message) return [];
      const variables = { want, value: want[field] };
      return [{ fields: [field], send: (report) => this.#send([field], message, variables, report) }];
    });
  }

  ask(fields: readonly string[]): Promise<ReadOutcome> | undefined {
    const askers = new Map<string, MqttAsker>();
    for (const field of fields) {
      const asker = this.#deps.plan.askers.get(field);
      if (asker) askers.set(field, asker);
    }
    return askers.size === 0 ? undefined : this.#questions.ask(askers);
  }

  beginAnew(): void {
    this.#questions.beginAnew();
  }

  /** Listens, and waits until the broker has been told so. */
  async start(): Promise<void> {
    const { plan, link } = this.#deps;
    const topics = new Set([
      ...plan.readers.keys(),
      ...plan.acks.keys(),
      ...plan.errors.keys(),
      ...(plan.availability?.topics.map(({ topic }) => topic) ?? []),
    ]);
    for (const topic of topics) {
      this.#unsubscribe.push(link.subscribe(topic, (message) => this.#hear(topic, message)));
    }
    await link.subscribed();
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#questions.stop();
  }

  async #send(
    fields: readonly string[],
    message: MqttTemplate,
    variables: Readonly<Record<string, unknown>>,
    report: TellSend,
  ): Promise<void> {
    const text = message.render(variables);
    if (!text.ok || text.value === undefined) {
      const detail = text.ok ? 'the message cannot be rendered' : text.detail;
      report({ type: 'not_sent', fields, reason: 'device_error', detail });
      return;
    }
    let dispatched = false;
    const result = await this.#deps.link.publish(message.topic, text.value, message.qos, () => {
      dispatched = true;
      report({ type: 'sent', fields });
    });
    switch (result.type) {
      case 'acknowledged':
        report({ type: 'accepted', fields });
        return;
      case 'refused':
        report({ type: 'refused', fields, reason: 'auth_failed', detail: result.detail });
        return;
      case 'lost':
        report({ type: 'lost', fields, detail: result.detail });
        return;
      case 'undelivered':
        if (dispatched) report({ type: 'lost', fields, detail: result.detail });
        else report({ type: 'not_sent', fields, reason: 'delivery_failed', detail: result.detail });
        return;
    }
  }

  /** @param topic the filter of the plan that took the message */
  #hear(topic: string, message: MqttMessage): void {
    const payload = readMessage(message.payload);
    const { plan } = this.#deps;
    if (plan.readers.has(topic) || plan.acks.has(topic)) this.#hearReading(topic, message, payload);
    if (!payload) return;
    const word = this.#availability?.hear(topic, payload, message.retained);
    if (word) this.#deps.memory.publish({ type: 'availability', at: message.at, ...word });
    if (!message.retained) this.#hearErrors(topic, message, payload);
  }

  #hearReading(topic: string, { at, retained }: MqttMessage, payload: Payload | undefined): void {
    const { spec, plan, memory } = this.#deps;
    const receipt: Receipt = { at, beganAt: at, source: 'report', retained };
    if (!payload) {
      memory.publish(emptyReading(receipt));
      return;
    }
    const reading = {
      ...readPayload(spec, plan.readers.get(topic) ?? [], payload, receipt),
      acks: readAcks(spec, plan.acks.get(topic) ?? [], payload),
    };
    const asked = retained ? undefined : this.#questions.answeredBy(topic, Object.keys(reading.values));
    memory.publish(asked ? { ...reading, source: 'read', beganAt: asked } : reading);
  }

  #hearErrors(topic: string, { at }: MqttMessage, payload: Payload): void {
    for (const { match, reason } of this.#deps.plan.errors.get(topic) ?? []) {
      if (truth(match.evaluate({ ...payload })) !== true) continue;
      const told = walk(payload.value_json, 'message');
      const detail = (typeof told === 'string' ? told : payload.value).slice(0, 200);
      this.#deps.memory.publish({ type: 'delivery', at, reason, detail });
    }
  }
}

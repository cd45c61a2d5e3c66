import type { ReadOutcome } from '../domain/device.ts';
import type { Clock, Instant } from '../domain/time.ts';
import type { MqttLink } from '../transports/mqtt-link.ts';
import { append } from './lists.ts';
import type { MqttAsker } from './mqtt-plan.ts';

/** One message of ours that asks, and the topics on which answers are due. */
interface Question {
  /** Topic → the fields of which at least one has to be in the answer. */
  readonly awaited: Map<string, string[]>;
  beganAt: Instant | null;
  readonly end: (outcome: ReadOutcome) => void;
}

/** Questions by message (`read_now`): the first message on a field's topic that speaks of it is the answer. */
export class MqttQuestions {
  readonly #link: MqttLink;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #open = new Set<Question>();
  /** Questions from before the command that is under way: their answers are ordinary reports. */
  readonly #stale = new WeakSet<Question>();

  constructor(link: MqttLink, clock: Clock, patienceMs: number) {
    this.#link = link;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** Asks for fields, each with its message; fields that share a message are asked for once. */
  async ask(askers: ReadonlyMap<string, MqttAsker>): Promise<ReadOutcome> {
    const groups = new Map<string, { message: MqttAsker['message']; text: string; awaited: Map<string, string[]> }>();
    for (const [field, { message, answerTopic }] of askers) {
      const text = message.render({});
      if (!text.ok || text.value === undefined) return { answered: false, detail: 'the question cannot be rendered' };
      const key = JSON.stringify([message.topic, text.value]);
      const group = groups.get(key) ?? { message, text: text.value, awaited: new Map<string, string[]>() };
      append(group.awaited, answerTopic, field);
      groups.set(key, group);
    }
    const outcomes = await Promise.all(
      [...groups.values()].map(({ message, text, awaited }) => this.#ask(message, text, awaited)),
    );
    return outcomes.find((outcome) => !outcome.answered) ?? { answered: true };
  }

  /** When the question was asked that this message answers; undefined where it answers none. */
  answeredBy(topic: string, fields: readonly string[]): Instant | undefined {
    let asked: Instant | undefined;
    for (const question of this.#open) {
      const { beganAt, awaited } = question;
      if (!beganAt || !awaited.get(topic)?.some((field) => fields.includes(field))) continue;
      if (!this.#stale.has(question)) asked ??= beganAt;
      awaited.delete(topic);
      if (awaited.size === 0) question.end({ answered: true });
    }
    return asked;
  }

  beginAnew(): void {
    for (const question of this.#open) this.#stale.add(question);
  }

  /** Answers can come no more. */
  stop(): void {
    for (const question of [...this.#open]) question.end({ answered: false, detail: 'the device was stopped' });
  }

  #ask(message: MqttAsker['message'], text: string, awaited: Map<string, string[]>): Promise<ReadOutcome> {
    return new Promise((resolve) => {
      const end = (outcome: ReadOutcome) => {
        this.#open.delete(question);
        cancel();
        resolve(outcome);
      };
      const question: Question = { awaited, beganAt: null, end };
      const cancel = this.#clock.at(this.#clock.now().mono + this.#patienceMs, () =>
        end({ answered: false, detail: `no answer to ${message.topic}` }),
      );
      this.#open.add(question);
      void this.#publish(question, message, text);
    });
  }

  async #publish(question: Question, message: MqttAsker['message'], text: string): Promise<void> {
    const result = await this.#link.publish(message.topic, text, message.qos, () => {
      question.beganAt = this.#clock.now();
    });
    // Whoever lost only the acknowledgement may still get the answer.
    if (result.type === 'undelivered' || result.type === 'refused') {
      question.end({ answered: false, detail: result.detail });
    }
  }
}

import type { AvailabilityConfig } from '../config/schema-device.ts';
import type { Payload } from './payload.ts';
import { compileTemplate, type Template } from './template.ts';

type Topics = Extract<AvailabilityConfig, { type: 'topics' }>;

/** The topics on which a device or its bridge says whether it can be reached, compiled. */
export interface AvailabilityPlan {
  readonly mode: Topics['mode'];
  readonly topics: readonly AvailabilityTopic[];
}

interface AvailabilityTopic {
  readonly topic: string;
  readonly online: string;
  readonly offline: string;
  readonly template: Template | undefined;
}

/** @throws StartError where a template cannot be read */
export function compileAvailability(config: Topics, where: string): AvailabilityPlan {
  return {
    mode: config.mode,
    topics: config.list.map((entry, index) => ({
      topic: entry.topic,
      online: entry.payload_available,
      offline: entry.payload_not_available,
      template:
        entry.value_template === undefined
          ? undefined
          : compileTemplate(entry.value_template, `${where}.${index}.value_template`),
    })),
  };
}

/** What one topic said last. */
interface Word {
  readonly online: boolean;
  readonly retained: boolean;
}

/** What the topics together say. */
export type Availability = Word;

/**
 * Makes one word of what several topics say. Until enough of them have spoken there is none: nobody has said that the
 * device is offline, and a command to it is tried.
 */
export class MqttAvailability {
  readonly #plan: AvailabilityPlan;
  readonly #words: (Word | undefined)[];
  /** What they said together before. */
  #together: boolean | undefined;

  constructor(plan: AvailabilityPlan) {
    this.#plan = plan;
    this.#words = plan.topics.map(() => undefined);
  }

  /** Takes in a message. @returns what the topics say now; undefined where the message or all of them say nothing */
  hear(topic: string, payload: Payload, retained: boolean): Availability | undefined {
    let latest: Word | undefined;
    for (const [index, entry] of this.#plan.topics.entries()) {
      const online = entry.topic === topic ? meaning(entry, payload) : undefined;
      if (online === undefined) continue;
      latest = { online, retained };
      this.#words[index] = latest;
    }
    if (!latest || this.#plan.mode === 'latest') return latest;
    const word = this.#weakest(this.#plan.mode === 'any');
    if (!word) return undefined;
    const turned = this.#together !== undefined && this.#together !== word.online;
    this.#together = word.online;
    // Whoever turns the whole has news, however old the words are with which it now agrees.
    return turned ? { ...word, retained } : word;
  }

  /**
   * One topic that says `decisive` is enough, and one live one makes it live; the opposite needs all of them, and is no
   * fresher than the oldest.
   */
  #weakest(decisive: boolean): Availability | undefined {
    const deciding = this.#words.filter((word) => word?.online === decisive);
    if (deciding.length > 0) return { online: decisive, retained: deciding.every((word) => word?.retained) };
    if (this.#words.includes(undefined)) return undefined;
    return { online: !decisive, retained: this.#words.some((word) => word?.retained) };
  }
}

function meaning(entry: AvailabilityTopic, payload: Payload): boolean | undefined {
  const rendered = entry.template ? entry.template.render({ ...payload }) : { ok: true as const, text: payload.value };
  if (!rendered.ok) return undefined;
  const word = rendered.text.trim();
  if (word === entry.online) return true;
  if (word === entry.offline) return false;
  // Firmware differs from its own announcement in capitals only.
  const folded = word.toLowerCase();
  if (folded === entry.online.toLowerCase()) return true;
  return folded === entry.offline.toLowerCase() ? false : undefined;
}

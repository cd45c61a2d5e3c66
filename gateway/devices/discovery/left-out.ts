import type { Log } from '../../domain/log.ts';

/** An announcement that became no device, or a change that was not taken over. */
export interface Omission {
  readonly topic: string;
  /** The part of the message; empty where the message is about one device. */
  readonly component: string;
  /** For a person. */
  readonly reason: string;
}

/** Omissions that are remembered. */
const MAX_OMISSIONS = 1_000;

/** What is left out and why: told once each, so that nobody can fill the disk with lines of the log. */
export class LeftOut {
  readonly #log: Log;
  readonly #omissions = new Map<string, Omission>();
  #overflowed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** In the order of their coming. */
  list(): readonly Omission[] {
    return [...this.#omissions.values()];
  }

  add(topic: string, component: string, reason: string): void {
    const key = keyOf(topic, component);
    if (this.#omissions.get(key)?.reason === reason) return;
    if (this.#omissions.size >= MAX_OMISSIONS && !this.#omissions.has(key)) {
      if (!this.#overflowed)
        this.#log.warn({ most: MAX_OMISSIONS }, 'more announcements are left out than can be told');
      this.#overflowed = true;
      return;
    }
    this.#omissions.set(key, { topic, component, reason });
    this.#log.warn({ topic, ...(component !== '' && { component }), reason }, 'an announced device is left out');
  }

  /** Forgets what was said of these parts of a message, or of all of it. */
  remove(topic: string, components?: readonly string[]): void {
    for (const [key, omission] of this.#omissions) {
      if (omission.topic === topic && (components?.includes(omission.component) ?? true)) this.#omissions.delete(key);
    }
  }
}

const keyOf = (topic: string, component: string) => `${topic} ${component}`;

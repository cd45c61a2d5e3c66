import type { Clock } from '../domain/time.ts';

/** A message of ours that has not come back by then never will: the broker's rules keep it from us, in ms. */
const FORGET_MS = 5_000;

/**
 * Messages of ours that the broker will send back to us. MQTT 5 has an option against that (`nl`); on MQTT 3.1.1 each is
 * taken out here once, so that a device whose commands and states share a topic is not mistaken for having answered.
 */
export class OwnMessages {
  readonly #clock: Clock;
  #expected: { readonly key: string; readonly untilMono: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expect(topic: string, payload: string): void {
    this.#expected.push({ key: keyOf(topic, payload), untilMono: this.#clock.now().mono + FORGET_MS });
  }

  /** Whether a message that came is one of ours; it is then crossed off. */
  take(topic: string, payload: Uint8Array): boolean {
    if (this.#expected.length === 0) return false;
    const now = this.#clock.now().mono;
    this.#expected = this.#expected.filter(({ untilMono }) => untilMono > now);
    const key = keyOf(topic, Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString());
    const index = this.#expected.findIndex((each) => each.key === key);
    if (index >= 0) this.#expected.splice(index, 1);
    return index >= 0;
  }

  clear(): void {
    this.#expected = [];
  }
}

/** A topic holds no NUL, so this cannot be mistaken for another pair. */
function keyOf(topic: string, payload: string): string {
  return `${topic}\0${payload}`;
}

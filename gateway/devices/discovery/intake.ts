import type { Clock } from '../../domain/time.ts';
import type { MqttMessage } from '../../transports/mqtt-link.ts';

/** Largest message, in bytes. */
const MAX_MESSAGE = 256 * 1024;
/** Topics whose message waits to be looked at, and their bytes together: more than that is no home any more. */
const MAX_WAITING = 5_000;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** A home that comes back announces all it has at once; what goes on for longer is slowed to this many a second. */
const BURST = 1_000;
const PER_SECOND = 20;

/** What is done with messages, one after another. */
export interface IntakeOptions {
  readonly clock: Clock;
  /** Deals with one message; does not throw. */
  readonly take: (topic: string, text: string) => Promise<void>;
  /** Hears of a message that is not looked at, and why. */
  readonly refuse: (topic: string, reason: string) => void;
}

/**
 * The announcements that wait to be looked at. Of each topic only the latest message counts, and however many come, they
 * take a bounded part of the memory and of the gateway's time.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #waiting = new Map<string, Uint8Array>();
  #bytes = 0;
  #credit = BURST;
  #countedAt = 0;
  #working: Promise<void> | null = null;
  #goOn: () => void = () => {};

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#countedAt = options.clock.now().mono;
  }

  push({ topic, payload }: MqttMessage): void {
    const { refuse } = this.#options;
    const earlier = this.#waiting.get(topic);
    if (payload.byteLength > MAX_MESSAGE) {
      refuse(topic, `the message is larger than ${MAX_MESSAGE} bytes`);
      return;
    }
    const bytes = this.#bytes - (earlier?.byteLength ?? 0) + payload.byteLength;
    if ((this.#waiting.size >= MAX_WAITING && !earlier) || bytes > MAX_WAITING_BYTES) {
      refuse(topic, 'too many messages wait to be looked at');
      return;
    }
    this.#waiting.set(topic, payload);
    this.#bytes = bytes;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Resolves once every message that has come so far is dealt with. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Forgets what waits. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    this.#bytes = 0;
    this.#goOn();
    await this.idle();
  }

  /** One message after another: what a message does is done before the next is looked at. */
  async #work(): Promise<void> {
    for (;;) {
      // Between two messages everything else has its turn, however many come at once.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waiting.size > 0) await this.#turn();
      const [next] = this.#waiting;
      if (!next) return;
      const [topic, payload] = next;
      this.#waiting.delete(topic);
      this.#bytes -= payload.byteLength;
      await this.#options.take(topic, new TextDecoder().decode(payload));
    }
  }

  /** Resolves when the next message may be looked at. */
  async #turn(): Promise<void> {
    const { clock } = this.#options;
    const { mono } = clock.now();
    this.#credit = Math.min(BURST, this.#credit + ((mono - this.#countedAt) / 1_000) * PER_SECOND);
    this.#countedAt = mono;
    if (this.#credit < 1) {
      await new Promise<void>((resolve) => {
        const cancel = clock.at(mono + (1_000 * (1 - this.#credit)) / PER_SECOND, resolve);
        this.#goOn = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#credit -= 1;
  }
}

import { computed, signal } from '@preact/signals';
import type { EventWire } from '../../wire.ts';
import { gatewayNow, now } from './clock.ts';
import { receive } from './home.ts';

/** The gateway lets something be heard every 15 s at least; after this silence the page no longer calls itself live. */
const SILENCE_MS = 20_000;

/** Waiting times before another attempt, in ms; the last one repeats. */
const BACK_OFF_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const;

/** Each wait is lengthened by up to this part, so that the pages of a house do not come back all at once. */
const JITTER = 0.3;

const connected = signal(false);
const heardAt = signal<number | null>(null);

/** How the stream stands. `stale` carries the seconds since the gateway was last heard; null: not yet at all. */
export type Liveness =
  | { readonly state: 'live' }
  | { readonly state: 'connecting' }
  | { readonly state: 'stale'; readonly silentS: number };

/** Whether what the page shows is up to date. */
export const liveness = computed<Liveness>(() => {
  const heard = heardAt.value;
  if (heard === null) return { state: 'connecting' };
  const silentMs = now.value - heard;
  if (connected.value && silentMs <= SILENCE_MS) return { state: 'live' };
  return { state: 'stale', silentS: Math.max(0, Math.round(silentMs / 1_000)) };
});

/** The gateway's stream of events, opened again for as long as it is wanted. */
export class LiveStream {
  readonly #onReturn: () => Promise<boolean>;
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #attempts = 0;
  #wanted = false;
  #isAsking = false;

  /** @param onReturn asked before each new attempt; false ends it, as where the reader was signed out meanwhile */
  constructor(onReturn: () => Promise<boolean>) {
    this.#onReturn = onReturn;
  }

  /** Opens the stream and keeps it open. */
  start(): void {
    this.#wanted = true;
    this.#open();
    this.#watch = setInterval(() => this.#checkSilence(), 1_000);
    addEventListener('online', this.#hurry);
    document.addEventListener('visibilitychange', this.#hurry);
  }

  /** Ends it. */
  stop(): void {
    this.#wanted = false;
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    removeEventListener('online', this.#hurry);
    document.removeEventListener('visibilitychange', this.#hurry);
    this.#close();
    heardAt.value = null;
  }

  #open(): void {
    const source = new EventSource('/api/events');
    this.#source = source;
    source.onmessage = (message: MessageEvent<string>) => {
      connected.value = true;
      this.#attempts = 0;
      // The gateway serves this page itself, so both are of one version and the wire's types hold.
      receive(JSON.parse(message.data) as EventWire);
      heardAt.value = gatewayNow();
    };
    // A browser tries again by itself after some errors and not after others; here it is the same for all.
    source.onerror = () => this.#lost();
  }

  #lost(): void {
    this.#close();
    if (!this.#wanted) return;
    const waitMs = BACK_OFF_MS[Math.min(this.#attempts, BACK_OFF_MS.length - 1)] ?? 0;
    this.#attempts++;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#comeBack(), waitMs * (1 + JITTER * Math.random()));
  }

  async #comeBack(): Promise<void> {
    // A phone that wakes up in a network it knows says both at once.
    if (this.#isAsking || this.#source) return;
    this.#isAsking = true;
    const isInside = await this.#onReturn().catch(() => null);
    this.#isAsking = false;
    if (isInside === null) this.#lost();
    else if (isInside && this.#wanted) this.#open();
  }

  readonly #hurry = (): void => {
    if (this.#source || !this.#wanted || document.hidden) return;
    clearTimeout(this.#timer);
    void this.#comeBack();
  };

  /** A connection that died without a word is given up; a phone that slept finds out here. */
  #checkSilence(): void {
    const heard = heardAt.peek();
    if (this.#source && heard !== null && gatewayNow() - heard > SILENCE_MS) this.#lost();
  }

  #close(): void {
    this.#source?.close();
    this.#source = null;
    connected.value = false;
  }
}

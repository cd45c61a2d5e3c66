import type { Clock, Instant } from '../domain/time.ts';
import { connectionFault, type HttpAnswer, HttpConnection, type HttpRequest } from './http-connection.ts';
import { jitteredPause } from './jittered-pause.ts';
import { type ServerEvent, ServerEventReader } from './server-events.ts';

/** Who hears a stream. */
export interface StreamListener {
  /** It stands. @param askedAt when the request for it left */
  onOpen(askedAt: Instant): void;
  /** Something came in: these events, or none where it was only a sign of life. */
  onEvents(events: readonly ServerEvent[]): void;
  /** It broke, or did not come to stand; it is opened again after a pause. */
  onBreak(detail: string): void;
}

export interface HttpStreamOptions {
  readonly origin: string;
  /** Its path is the whole one. */
  readonly request: HttpRequest;
  /** From the attempt to connect to the head of the answer, in ms. */
  readonly timeoutMs: number;
  /** Longest silence, in ms. Nothing else tells a device that lost its power from one that has nothing to say. */
  readonly heartbeatMs: number;
  readonly clock: Clock;
  readonly listener: StreamListener;
}

/** The pause after a first failure, in ms; each further one doubles it, up to the longest. */
const PAUSE = { firstMs: 1_000, longestMs: 30_000 } as const;

/** What a stream may say within a second, in bytes; an event costs as much as the work that it makes. */
const BUDGET = { perSecond: 1024 * 1024, eventCost: 1024 } as const;

/** A stream of server-sent events that is held open, and opened again and again where it breaks, until it is closed. */
export class HttpStream {
  readonly #options: HttpStreamOptions;
  readonly #stop = new AbortController();

  constructor(options: HttpStreamOptions) {
    this.#options = options;
  }

  /** Opens it. Resolves when it has been closed. */
  async run(): Promise<void> {
    const { clock, listener } = this.#options;
    let pauseMs: number = PAUSE.firstMs;
    while (!this.#stop.signal.aborted) {
      const { detail, openedAt } = await this.#hold();
      if (this.#stop.signal.aborted) return;
      listener.onBreak(detail);
      // One that breaks as soon as it stands is a failure too.
      if (openedAt !== null && clock.now().mono - openedAt > PAUSE.longestMs) pauseMs = PAUSE.firstMs;
      await jitteredPause(this.#options.clock, pauseMs, this.#stop.signal);
      pauseMs = Math.min(pauseMs * 2, PAUSE.longestMs);
    }
  }

  close(): void {
    this.#stop.abort();
  }

  /** Opens it once and listens until it breaks. */
  async #hold(): Promise<{ readonly detail: string; readonly openedAt: number | null }> {
    const { origin, request, timeoutMs, heartbeatMs, clock, listener } = this.#options;
    const connection = new HttpConnection(origin, timeoutMs);
    const abort = new AbortController();
    const onStop = () => abort.abort();
    this.#stop.signal.addEventListener('abort', onStop);
    const watch = new Watch(clock, (ms) => abort.abort(new Error(`nothing came within ${ms} ms`)));
    let openedAt: number | null = null;
    try {
      watch.begin(timeoutMs);
      const askedAt = clock.now();
      const headers = { accept: 'text/event-stream', ...request.headers };
      const answer = await connection.request({ ...request, headers }, abort.signal);
      const flaw = flawOf(answer);
      if (flaw !== undefined) return { detail: flaw, openedAt };
      watch.begin(heartbeatMs);
      openedAt = clock.now().mono;
      listener.onOpen(askedAt);
      return { detail: await this.#listen(answer.body, watch), openedAt };
    } catch (error) {
      return { detail: connectionFault(abort.signal.aborted ? abort.signal.reason : error), openedAt };
    } finally {
      watch.end();
      this.#stop.signal.removeEventListener('abort', onStop);
      await connection.destroy();
    }
  }

  /** @returns why it ended */
  async #listen(body: HttpAnswer['body'], watch: Watch): Promise<string> {
    const { clock, listener } = this.#options;
    const reader = new ServerEventReader();
    let second = 0;
    let spent = 0;
    for await (const chunk of body) {
      watch.heard();
      const events = reader.read(chunk);
      const now = Math.floor(clock.now().mono / 1000);
      spent = (now === second ? spent : 0) + chunk.byteLength + events.length * BUDGET.eventCost;
      second = now;
      // Read more slowly it would tell what was; asked, it tells what is.
      if (spent > BUDGET.perSecond) return 'it says too much to be listened to';
      listener.onEvents(events);
    }
    return 'the device ended it';
  }
}

/** Notices silence. Its one timer is not set anew for everything that is heard. */
class Watch {
  readonly #clock: Clock;
  readonly #onSilence: (ms: number) => void;
  #limitMs = 0;
  #heardAt = 0;
  #cancel: () => void = () => {};

  constructor(clock: Clock, onSilence: (ms: number) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  begin(limitMs: number): void {
    this.#limitMs = limitMs;
    this.heard();
    this.#set();
  }

  heard(): void {
    this.#heardAt = this.#clock.now().mono;
  }

  end(): void {
    this.#cancel();
  }

  #set(): void {
    this.#cancel();
    this.#cancel = this.#clock.at(this.#heardAt + this.#limitMs, () => {
      if (this.#clock.now().mono < this.#heardAt + this.#limitMs) this.#set();
      else this.#onSilence(this.#limitMs);
    });
  }
}

/** Why an answer is no stream of events; undefined where it is one. */
function flawOf({ status, headers }: HttpAnswer): string | undefined {
  if (status !== 200) return `HTTP ${status}`;
  const type = headers['content-type'] ?? 'no content-type';
  return /^text\/event-stream\b/i.test(type) ? undefined : `the answer is ${type} and no text/event-stream`;
}

/** What is to be done where a stream tells nothing. */
export interface StreamWatchOptions {
  /** How long a stream may be without a byte, in ms. */
  readonly silentMs: number;
  /** The stream has told how its tasks stand, as far as it does: called once, soon after its beginning. */
  readonly onQuiet: () => void;
  /** Nothing came for long. `isDead`: something would have, if there still were anybody at the other end. */
  readonly onSilent: (isDead: boolean) => void;
}

/** After a stream has been quiet for this long, in ms, it will tell nothing more of how its tasks stand. */
const QUIET_MS = 1_000;

/** What it tells in the beginning ends after this long, in ms, also where other news never cease. */
const BEGINNING_MS = 10_000;

/**
 * Listens to the silence of one stream. A machine that loses its power, or a router its table, ends no connection: a
 * stream that was never heard again would be waited for until doomsday.
 */
export class StreamWatch {
  readonly #options: StreamWatchOptions;
  #silence: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  /** When its beginning is over, in ms on the monotonic clock; undefined before its first event. */
  #begunByMs: number | undefined;
  #isQuiet = false;
  /** Its server sends something now and then, only to say that it is there. */
  #pings = false;

  constructor(options: StreamWatchOptions) {
    this.#options = options;
  }

  /** The request leaves. */
  start(): void {
    this.#listen();
  }

  /** An event came. */
  heard(): void {
    this.#listen();
    if (this.#isQuiet) return;
    const now = performance.now();
    this.#begunByMs ??= now + BEGINNING_MS;
    clearTimeout(this.#quiet);
    const onQuiet = () => {
      this.#isQuiet = true;
      this.#options.onQuiet();
    };
    this.#quiet = setTimeout(onQuiet, Math.min(QUIET_MS, this.#begunByMs - now));
  }

  /** A sign of life came that says nothing. */
  pinged(): void {
    this.#pings = true;
    this.#listen();
  }

  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#quiet);
  }

  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const isDead = this.#pings || this.#begunByMs === undefined;
      if (!isDead) this.#listen();
      this.#options.onSilent(isDead);
    }, this.#options.silentMs);
  }
}

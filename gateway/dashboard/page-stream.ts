import type { EventStream } from '../streams/event-stream.ts';

/** Words one message at the moment when it goes out, as JSON. */
export type Wording = () => string;

/**
 * The stream of one open page. Each topic has at most one message waiting: where the page is slower than the news, the
 * newest takes the place of the one that has not gone out.
 */
export class PageStream {
  readonly #stream: EventStream;
  readonly #due = new Map<string, Wording>();
  #begun = false;
  #id = 0;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  /** Begins the answer. What is told from now on waits for the snapshot. @param onClose called once, when it has ended */
  open(onClose: () => void): void {
    this.#stream.open(() => this.#pump(), onClose);
  }

  /** Tells everything as it is, and then what came meanwhile. */
  begin(snapshot: Wording): void {
    this.#begun = true;
    this.#send(snapshot);
    this.#pump();
  }

  /** Tells the news of a topic: at once, or as soon as the page has taken what is before it. */
  tell(topic: string, wording: Wording): void {
    this.#due.set(topic, wording);
    this.#pump();
  }

  /** To be called at a steady rate: says that nothing is broken, and drops a page that took nothing since the last call. */
  beat(tick: Wording): void {
    this.#stream.beat();
    if (this.#begun && this.#stream.ready) this.#send(tick);
  }

  end(): void {
    this.#stream.end();
  }

  /** Breaks off, so that the page asks for everything anew. */
  drop(): void {
    this.#stream.drop();
  }

  #pump(): void {
    if (!this.#begun) return;
    for (const [topic, wording] of this.#due) {
      if (!this.#stream.ready) return;
      this.#due.delete(topic);
      this.#send(wording);
    }
  }

  #send(wording: Wording): void {
    this.#id += 1;
    this.#stream.send(wording(), this.#id);
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Notification,
  type RequestId,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import type { EventStream } from '../streams/event-stream.ts';

/** Words a notification at the moment when it goes out; undefined where there is nothing to say any more. */
export type Wording = () => Notification | undefined | Promise<Notification | undefined>;

/** Notifications that had to be looked up, after which other requests get their turn. */
const TURN = 64;

/**
 * One `subscriptions/listen` under way. Each topic has at most one notification waiting: where the reader is slower than
 * the news, the newest takes the place of the one that has not gone out, so that what waits is bounded by what was
 * subscribed to.
 */
export class Subscription {
  readonly #id: RequestId;
  readonly #stream: EventStream;
  readonly #onError: (error: Error) => void;
  readonly #due = new Map<string, Wording>();
  #pumping = false;

  /** @param onError hears of what could not be looked up */
  constructor(id: RequestId, stream: EventStream, onError: (error: Error) => void) {
    this.#id = id;
    this.#stream = stream;
    this.#onError = onError;
  }

  /**
   * Opens the stream with the acknowledgement, which comes before everything else.
   * @param honored what of the wanted filter will be told
   */
  open(honored: Readonly<Record<string, unknown>>, onClose: () => void): void {
    this.#stream.open(() => void this.#pump(), onClose);
    this.#notify({ method: 'notifications/subscriptions/acknowledged', params: { notifications: honored } });
    void this.#pump();
  }

  /** Tells the news of a topic: at once, or as soon as the reader has taken what is before it. */
  tell(topic: string, wording: Wording): void {
    this.#due.set(topic, wording);
    void this.#pump();
  }

  beat(): void {
    this.#stream.beat();
  }

  /** Ends it in a way that tells the client that nothing went wrong. */
  end(server: { readonly name: string; readonly version: string }): void {
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: this.#id, [SERVER_INFO_META_KEY]: server };
    this.#stream.send(JSON.stringify({ jsonrpc: '2.0', id: this.#id, result: { resultType: 'complete', _meta } }));
    this.#stream.end();
  }

  drop(): void {
    this.#stream.drop();
  }

  /** Runs to the end in one go, and so in order, as long as nothing has to be looked up. */
  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      let lookedUp = 0;
      for (const [topic, wording] of this.#due) {
        if (!this.#stream.ready) return;
        this.#due.delete(topic);
        const worded = wording();
        const notification = worded instanceof Promise ? await worded : worded;
        if (notification) this.#notify(notification);
        if (worded instanceof Promise && ++lookedUp % TURN === 0) await nextTurn();
      }
    } catch (error) {
      // The client starts afresh rather than going on without what could not be looked up.
      this.#onError(error instanceof Error ? error : new Error(String(error)));
      this.drop();
    } finally {
      this.#pumping = false;
    }
  }

  #notify({ method, params }: Notification): void {
    const _meta = { ...params?._meta, [SUBSCRIPTION_ID_META_KEY]: this.#id };
    this.#stream.send(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } }));
  }
}

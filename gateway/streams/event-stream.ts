import type { ServerResponse } from 'node:http';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies of the nginx kind would hold events back otherwise.
  'x-accel-buffering': 'no',
};

/**
 * One HTTP answer as a stream of messages. It buffers what the socket does for any answer and one message more:
 * whoever writes asks `ready` first and goes on with `onReady`. A reader that takes nothing is dropped.
 */
export class EventStream {
  readonly #res: ServerResponse;
  /** It was full at the last beat and has not been emptied since. */
  #stuck = false;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /**
   * Begins the answer.
   * @param onReady called whenever what was written has been taken
   * @param onClose called once, when the answer has ended or its reader has gone
   */
  open(onReady: () => void, onClose: () => void): void {
    this.#res.on('close', onClose);
    this.#res.on('drain', () => {
      this.#stuck = false;
      onReady();
    });
    this.#res.writeHead(200, HEADERS);
  }

  /** Whether the next message can go out without piling up behind the ones before it. */
  get ready(): boolean {
    return this.#alive && !this.#res.writableNeedDrain;
  }

  /**
   * @param json one message
   * @param id by which its reader may name it
   */
  send(json: string, id?: number): void {
    if (!this.#alive) return;
    const head = id === undefined ? '' : `id: ${id}\n`;
    this.#res.write(`${head}event: message\ndata: ${json}\n\n`);
  }

  /** To be called at a steady rate: keeps the connection alive, and drops a reader that took nothing since the last call. */
  beat(): void {
    if (this.ready) this.#res.write(': keepalive\n\n');
    else if (this.#stuck) this.drop();
    else this.#stuck = true;
  }

  end(): void {
    if (this.#alive) this.#res.end();
  }

  /** Breaks the connection off, so that its client knows that it has missed something. */
  drop(): void {
    this.#res.destroy();
  }

  get #alive(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded;
  }
}

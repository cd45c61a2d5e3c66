import { bearer, rawHeaders, TASK_CLIENT } from './raw-rpc.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on whatever the wire carries
type Message = any;

/** One open `subscriptions/listen`, message by message. */
export class RawListener {
  readonly status: number;
  readonly #events: AsyncGenerator<string>;
  readonly #abort: AbortController;

  constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.#events = events(response);
    this.#abort = abort;
  }

  /** The next message; undefined once the stream has ended. Comments are skipped. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done) return undefined;
      const data = value.split('\n').find((line: string) => line.startsWith('data:'));
      if (data !== undefined) return JSON.parse(data.slice(5));
    }
  }

  /** The next event as it is on the wire, comments too. */
  async nextRaw(): Promise<string | undefined> {
    return (await this.#events.next()).value;
  }

  /** Messages up to the first that fits. */
  async until(fits: (message: Message) => boolean): Promise<Message[]> {
    const seen: Message[] = [];
    for (;;) {
      const message = await this.next();
      if (message === undefined) throw new Error(`the stream ended after ${JSON.stringify(seen)}`);
      seen.push(message);
      if (fits(message)) return seen;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

/** Opens a stream; a refusal is its only message. */
export async function rawListen(
  url: string,
  notifications: unknown,
  options: { id?: string | number; capabilities?: object; token?: string } = {},
): Promise<RawListener> {
  const { id = 1, capabilities = TASK_CLIENT } = options;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const abort = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...rawHeaders('subscriptions/listen'), ...bearer(options.token) },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, _meta } }),
    signal: abort.signal,
  });
  return new RawListener(response, abort);
}

async function* events(response: Response): AsyncGenerator<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield `data: ${await response.text()}`;
    return;
  }
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}

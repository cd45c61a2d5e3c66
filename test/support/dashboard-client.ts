import type { EventWire } from '../../gateway/dashboard/wire.ts';
import { bearer } from './raw-rpc.ts';

/** An answer of the page's API. */
export interface ApiAnswer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** Asks the page's API as somebody. @param as whose token is shown; none by default */
export async function askApi<Body>(
  origin: string,
  path: string,
  options: { as?: string | undefined; post?: unknown } = {},
): Promise<ApiAnswer<Body>> {
  const response = await fetch(`${origin}/api${path}`, {
    headers: { ...bearer(options.as), 'content-type': 'application/json' },
    ...('post' in options && { method: 'POST', body: JSON.stringify(options.post) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** A page that listens, event by event. */
export class OpenPage {
  readonly response: Response;
  readonly #messages: AsyncGenerator<EventWire>;
  readonly #abort: AbortController;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#messages = messages(response);
    this.#abort = abort;
  }

  /** Opens the stream. */
  static async open(origin: string, as?: string): Promise<OpenPage> {
    const abort = new AbortController();
    const response = await fetch(`${origin}/api/events`, { headers: bearer(as), signal: abort.signal });
    return new OpenPage(response, abort);
  }

  /** The next event; undefined once the stream has ended. */
  async next(): Promise<EventWire | undefined> {
    return (await this.#messages.next()).value;
  }

  /** The next event of a type; others are passed over. */
  async nextOf<Type extends EventWire['type']>(type: Type): Promise<Extract<EventWire, { type: Type }>> {
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the stream ended before a ${type}`);
      if (event.type === type) return event as Extract<EventWire, { type: Type }>;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

async function* messages(response: Response): AsyncGenerator<EventWire> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = text
        .slice(0, end)
        .split('\n')
        .find((line) => line.startsWith('data: '));
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as EventWire;
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';
import { type Endpoint, GatewayLink } from './gateway-link.ts';
import { type Message, mirroredHeaders, partsOf, revisionOf } from './message.ts';
import { OlderSession } from './older-session.ts';

/** What a bridge connects. */
export interface BridgeOptions {
  /** Where the gateway is now; asked again when nobody answers there any more, or its token has changed. */
  readonly locate: () => Promise<Endpoint>;
  /** Takes every message for the client. */
  readonly toClient: (message: Message) => void;
  /** Hears what a person should know; it is no part of the protocol. */
  readonly onNotice: (notice: string) => void;
}

type RequestId = string | number;

/** A request that the client waits for. */
interface OpenRequest {
  readonly abort: AbortController;
  /** From 2026-07-28 on a request is taken back by closing its connection, and a stream is a request. */
  readonly closable: boolean;
  readonly isStream: boolean;
}

/** JSON-RPC's codes for a fault that is not the client's, and for text that is no JSON. */
const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;

const LOST =
  'The gateway went away before it answered. What was asked may have been done: look at the state before you repeat it.';

/** How long requests may take to be answered once the client has said its last word, in ms. */
const GRACE_MS = 1_500;

/**
 * Carries messages between one client and the gateway's Streamable HTTP, of every protocol revision: a client that speaks
 * over a pipe meets the same daemon as all others, and no second process touches its data.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #link: GatewayLink;
  readonly #session: OlderSession;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #carried = new Set<Promise<void>>();

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#link = new GatewayLink(options.locate);
    this.#session = new OlderSession({ ...options, link: this.#link });
  }

  /** Passes on one line of the client: a message or a batch. What comes back goes to the client by itself. */
  fromClient(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      this.#fail(null, PARSE_ERROR, 'Parse error: the line is not JSON');
      return;
    }
    const carried = this.#carry(message).catch((error: unknown) => this.#options.onNotice(messageOf(error)));
    this.#carried.add(carried);
    void carried.finally(() => this.#carried.delete(carried));
  }

  /** The client says no more: what is being answered is answered, streams end, and the gateway forgets the session. */
  async end(): Promise<void> {
    for (const { abort, isStream } of this.#open.values()) if (isStream) abort.abort();
    await Promise.race([Promise.all([...this.#carried]), delay(GRACE_MS, undefined, { ref: false })]);
    for (const { abort } of this.#open.values()) abort.abort();
    await this.#session.end();
  }

  async #carry(message: Message): Promise<void> {
    const parts = partsOf(message);
    const { id, method, params } = parts;
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) {
      const request = this.#open.get(params.requestId);
      if (request?.closable) {
        request.abort.abort();
        return;
      }
    }
    const closable = revisionOf(parts) !== undefined;
    const abort = new AbortController();
    const send = () =>
      closable
        ? this.#link.send({
            method: 'POST',
            headers: mirroredHeaders(parts),
            body: JSON.stringify(message),
            signal: abort.signal,
          })
        : this.#session.send(message, abort.signal);
    if (id === undefined || method === undefined) {
      await this.#pass(await send(), null);
      return;
    }
    this.#open.set(id, { abort, closable, isStream: method === 'subscriptions/listen' });
    try {
      const answered = await this.#pass(await send(), id);
      if (!answered) this.#fail(id, INTERNAL_ERROR, LOST);
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(id, INTERNAL_ERROR, failureText(error));
    } finally {
      this.#open.delete(id);
    }
  }

  /** Hands on what came back. @returns whether the request with this id has been answered */
  async #pass(answer: Exchange, id: RequestId | null): Promise<boolean> {
    let answered = false;
    for await (const message of answer.messages) {
      if (answer.status < 400) {
        this.#options.toClient(message);
        answered ||= id !== null && message['id'] === id && message['method'] === undefined;
      } else if (id === null) this.#options.onNotice(`the gateway refused a message: ${JSON.stringify(message)}`);
      else {
        this.#refuse(id, answer.status, message);
        answered = true;
      }
    }
    return answered;
  }

  /** A refusal may come from before the message was read, and then names no request. */
  #refuse(id: RequestId, status: number, message: Message): void {
    if (partsOfError(message)) this.#options.toClient({ ...message, id });
    else if (status === 401)
      this.#fail(
        id,
        INTERNAL_ERROR,
        'The gateway asks for a token that it knows: give one with --token or READBACK_TOKEN.',
      );
    else this.#fail(id, INTERNAL_ERROR, `The gateway answered ${status}: ${JSON.stringify(message)}`);
  }

  #fail(id: RequestId | null, code: number, message: string): void {
    this.#options.toClient({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

function partsOfError({ error }: Message): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}

/** What the client is told of a request that did not come through. */
function failureText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET' || code === 'EPIPE') return LOST;
  return `The gateway cannot be reached: ${messageOf(error)}`;
}

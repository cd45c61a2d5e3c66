import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../domain/errors.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayLink } from './gateway-link.ts';
import { type Message, partsOf } from './message.ts';

/** What a session needs. */
export interface OlderSessionOptions {
  readonly link: GatewayLink;
  readonly toClient: (message: Message) => void;
  readonly onNotice: (notice: string) => void;
}

/** Pause before a stream that has ended is opened again, in ms. */
const REOPEN_MS = 1_000;

/** How long the gateway is given to take the goodbye, in ms. */
const GOODBYE_MS = 500;

/**
 * The session of a client of protocol 2025-11-25 or before. Over a pipe it knows nothing of sessions and of gateways that
 * start again, so a session that has been lost is begun anew with the client's own words.
 */
export class OlderSession {
  readonly #options: OlderSessionOptions;
  readonly #ended = new AbortController();
  #initialize: Message | undefined;
  #id: string | undefined;
  #revision: string | undefined;
  #renewals = 0;
  #renewing: Promise<void> | undefined;
  #listening = false;

  constructor(options: OlderSessionOptions) {
    this.#options = options;
  }

  /** Sends one message of the client, or a batch. */
  async send(message: Message, signal: AbortSignal): Promise<Exchange> {
    const { method } = partsOf(message);
    if (method === 'initialize') {
      this.#initialize = message;
      return this.#begin(message, signal);
    }
    await this.#renewing;
    const id = this.#id;
    let answer = await this.#post(message, signal);
    if (answer.status === 404 && id !== undefined) {
      await this.#replace(id);
      answer = await this.#post(message, signal);
    }
    if (method === 'notifications/initialized') void this.#listen();
    return answer;
  }

  /** Has the gateway forget the session. */
  async end(): Promise<void> {
    this.#ended.abort();
    if (this.#id === undefined) return;
    const signal = AbortSignal.timeout(GOODBYE_MS);
    await this.#options.link.send({ method: 'DELETE', headers: this.#headers(), signal }).catch(() => {});
  }

  #post(message: Message, signal: AbortSignal): Promise<Exchange> {
    const body = JSON.stringify(message);
    return this.#options.link.send({ method: 'POST', headers: this.#headers(), body, signal });
  }

  #headers(): Record<string, string> {
    return {
      ...(this.#id !== undefined && { 'mcp-session-id': this.#id }),
      ...(this.#revision !== undefined && { 'mcp-protocol-version': this.#revision }),
    };
  }

  async #begin(initialize: Message, signal: AbortSignal): Promise<Exchange> {
    this.#id = undefined;
    this.#revision = undefined;
    const answer = await this.#post(initialize, signal);
    this.#id = answer.header('mcp-session-id');
    return { ...answer, messages: this.#watched(answer.messages) };
  }

  /** The answer to `initialize` as it passes, for the revision that it settles on. */
  async *#watched(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const message of messages) {
      this.#revision = partsOf(message).result?.protocolVersion ?? this.#revision;
      yield message;
    }
  }

  /** Begins the session anew, once for however many messages find that it is lost. */
  async #replace(lost: string): Promise<void> {
    if (this.#id === lost) {
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
    }
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    if (!this.#initialize) return;
    const { signal } = this.#ended;
    this.#renewals += 1;
    const answer = await this.#begin({ ...this.#initialize, id: `readback-renewal-${this.#renewals}` }, signal);
    await drain(answer);
    await drain(await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, signal));
    this.#options.onNotice('the gateway had forgotten the session; it was begun anew');
  }

  /** Takes what the gateway says by itself, for as long as the client is there. */
  async #listen(): Promise<void> {
    const { signal } = this.#ended;
    if (this.#listening) return;
    this.#listening = true;
    while (!signal.aborted) {
      try {
        const answer = await this.#options.link.send({ method: 'GET', headers: this.#headers(), signal });
        // A gateway without sessions has nothing to say by itself.
        if (answer.status === 405) break;
        if (answer.status === 200) for await (const message of answer.messages) this.#options.toClient(message);
        else await drain(answer);
      } catch (error) {
        if (!signal.aborted) this.#options.onNotice(`the stream of notifications ended: ${messageOf(error)}`);
      }
      await delay(REOPEN_MS, undefined, { signal }).catch(() => {});
    }
    this.#listening = false;
  }
}

async function drain({ messages }: Exchange): Promise<void> {
  for await (const _ of messages);
}

import type {
  CommandStoryWire,
  CommandsWire,
  CommandWire,
  DiscoveryWire,
  HomeWire,
  RefusalWire,
  SimulatorChangeWire,
  SimulatorWire,
  WishWire,
} from '../wire.ts';
import type { MadeToken, Session, TokensAnswer } from './session-wire.ts';

/** A request that the gateway refused, or that did not reach it (`status` 0); the message says what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Which commands are asked for; an empty word leaves that open. */
export interface CommandsQuery {
  readonly device: string;
  readonly verdict: string;
  readonly principal: string;
  /** A day of history; empty: what the store holds. */
  readonly day: string;
}

/** The gateway's API. Every call throws a `Refusal` where it is not served. */
export const api = {
  session: () => ask<Session>('GET', '/api/session'),
  signIn: (token: string) => ask<unknown>('POST', '/api/session', { token }),
  signOut: () => ask<unknown>('DELETE', '/api/session'),
  home: () => ask<HomeWire>('GET', '/api/home'),
  look: (device: string) => ask<unknown>('POST', `/api/devices/${encodeURIComponent(device)}/look`, {}),
  submit: (wish: WishWire) => ask<CommandWire>('POST', '/api/commands', wish),
  cancel: (id: string) => ask<CommandWire>('POST', `/api/commands/${encodeURIComponent(id)}/cancel`, {}),
  /** @param day the day of history that it is in; empty: it is still in the store */
  story: (id: string, day: string) =>
    ask<CommandStoryWire>('GET', `/api/commands/${encodeURIComponent(id)}?${search({ day })}`),
  commands: (query: CommandsQuery, before: string | null, limit: number) =>
    ask<CommandsWire>('GET', `/api/commands?${search({ ...query, before: before ?? '', limit: String(limit) })}`),
  answer: (id: string, approve: boolean) =>
    ask<unknown>('POST', `/api/approvals/${encodeURIComponent(id)}`, { approve, through: 'dashboard' }),
  discovery: () => ask<DiscoveryWire>('GET', '/api/discovery'),
  simulator: () => ask<SimulatorWire>('GET', '/api/simulator'),
  changeSimulated: (id: string, change: SimulatorChangeWire) =>
    ask<unknown>('POST', `/api/simulator/${encodeURIComponent(id)}`, change),
  tokens: () => ask<TokensAnswer>('GET', '/api/tokens'),
  makeToken: (name: string, scopes: readonly string[]) => ask<MadeToken>('POST', '/api/tokens', { name, scopes }),
  revokeToken: (name: string) => ask<unknown>('DELETE', `/api/tokens/${encodeURIComponent(name)}`),
};

function search(words: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(words).filter(([, word]) => word !== '')).toString();
}

async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Refusal(0, 'The gateway cannot be reached; nothing was changed.', { cause: error });
  });
  const text = await response.text();
  if (!response.ok) throw new Refusal(response.status, refusalText(text) ?? `The gateway answered ${response.status}.`);
  // The gateway serves this page itself, so both are of one version and the wire's types hold.
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** What a refusal says, whichever part of the gateway gave it. */
function refusalText(text: string): string | undefined {
  try {
    const told = JSON.parse(text) as Partial<Pick<RefusalWire, 'message'>> & {
      error?: string | { message?: string };
      error_description?: string;
    };
    if (told.message !== undefined) return told.message;
    if (told.error_description !== undefined) return told.error_description;
    return typeof told.error === 'object' ? told.error.message : told.error;
  } catch {
    return undefined;
  }
}

/** Anything thrown, as words for a person. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

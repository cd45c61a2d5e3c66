import type { Scope } from '../../domain/principal.ts';

/** `GET /api/session`: who this browser is to the gateway. */
export interface Session {
  readonly signed_in: boolean;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  /** Without a token nobody is served. */
  readonly needs_token: boolean;
  readonly can_make_tokens: boolean;
}

/** A token as it is listed: never the token itself. */
export interface TokenEntry {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** `GET /api/tokens`. */
export interface TokensAnswer {
  readonly tokens: readonly TokenEntry[];
}

/** `POST /api/tokens`: the only time at which the token itself is told. */
export interface MadeToken extends TokenEntry {
  readonly token: string;
}

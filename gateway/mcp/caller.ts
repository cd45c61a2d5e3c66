import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { allScopes, LOCAL_PRINCIPAL, SCOPES, type Scope } from '../domain/principal.ts';
import { TASKS_EXTENSION } from './task.ts';

/** Who sent a request, and what their client can do. */
export interface Caller {
  readonly principal: string;
  /** What its token allows; everything where nobody has to show one. */
  readonly scopes: readonly Scope[];
  /** The client declared the Tasks extension with this very request. */
  readonly declaresTasks: boolean;
  /** The client can put a form before a person, and its token allows what the answer does: it may send a command. */
  readonly elicits: boolean;
  /** Present where the request is of protocol 2025-11-25 or before. */
  readonly older?: {
    /** The call asks to be answered with a task of that protocol, whatever becomes of it. */
    readonly wantsTask: boolean;
  };
}

const capabilities = z.looseObject({
  extensions: z.record(z.string(), z.unknown()).default({}),
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});

/** Reads the caller off a request of 2026-07-28, which says itself what its client can do. */
export function callerOf(ctx: ServerContext): Caller {
  return callerWith(ctx.http?.authInfo, ctx.mcpReq.envelope ?? {});
}

/** The caller of a request, by the token that it came with and the `_meta` that it carries. */
export function callerWith(authInfo: AuthInfo | undefined, meta: Readonly<Record<string, unknown>>): Caller {
  const { data } = capabilities.safeParse(meta[CLIENT_CAPABILITIES_META_KEY]);
  const who = identity(authInfo);
  return {
    ...who,
    declaresTasks: data?.extensions[TASKS_EXTENSION] !== undefined,
    elicits: who.scopes.includes('control') && canElicit(data?.elicitation),
  };
}

/**
 * The caller of a request of 2025-11-25 or before. What the client can do it said at the beginning of its session; without
 * one nothing can be asked of it.
 */
export function olderCallerOf(ctx: ServerContext, server: McpServer, wantsTask = false): Caller {
  const { data } = capabilities.safeParse(ctx.sessionId === undefined ? {} : server.server.getClientCapabilities());
  const who = identity(ctx.http?.authInfo);
  return {
    ...who,
    declaresTasks: false,
    elicits: who.scopes.includes('control') && canElicit(data?.elicitation),
    older: { wantsTask },
  };
}

/** Why a caller may not have this, in one line; undefined where they may. */
export function scopeFlaw({ principal, scopes }: Caller, what: string, needed: Scope): string | undefined {
  if (scopes.includes(needed)) return undefined;
  return `${what} needs the scope ${needed}; the token of "${principal}" has: ${scopes.join(', ')}. Nothing was sent.`;
}

/**
 * Refuses a method of the protocol to callers whose token does not allow it; a tool is refused in its own result.
 * @throws ProtocolError -32600 that names the scope
 */
export function requireScope(caller: Caller, method: string, needed: Scope): void {
  const flaw = scopeFlaw(caller, method, needed);
  if (flaw !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, flaw, { error: 'not_allowed' });
}

function identity(authInfo: AuthInfo | undefined): Pick<Caller, 'principal' | 'scopes'> {
  if (!authInfo) return { principal: LOCAL_PRINCIPAL, scopes: SCOPES };
  return { principal: authInfo.clientId, scopes: allScopes(authInfo.scopes) };
}

/** An empty `elicitation` means forms: the mode had no name when the capability was introduced. */
function canElicit(elicitation: z.output<typeof capabilities>['elicitation']): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

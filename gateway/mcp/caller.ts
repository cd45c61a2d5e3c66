import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
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
  /** The client can put a form before a person. */
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
  return {
    ...identity(authInfo),
    declaresTasks: data?.extensions[TASKS_EXTENSION] !== undefined,
    elicits: canElicit(data?.elicitation),
  };
}

/**
 * The caller of a request of 2025-11-25 or before. What the client can do it said at the beginning of its session; without
 * one nothing can be asked of it.
 */
export function olderCallerOf(ctx: ServerContext, server: McpServer, wantsTask = false): Caller {
  const { data } = capabilities.safeParse(ctx.sessionId === undefined ? {} : server.server.getClientCapabilities());
  return {
    ...identity(ctx.http?.authInfo),
    declaresTasks: false,
    elicits: canElicit(data?.elicitation),
    older: { wantsTask },
  };
}

function identity(authInfo: AuthInfo | undefined): Pick<Caller, 'principal' | 'scopes'> {
  if (!authInfo) return { principal: LOCAL_PRINCIPAL, scopes: SCOPES };
  return { principal: authInfo.clientId, scopes: allScopes(authInfo.scopes) };
}

/** An empty `elicitation` means forms: the mode had no name when the capability was introduced. */
function canElicit(elicitation: z.output<typeof capabilities>['elicitation']): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

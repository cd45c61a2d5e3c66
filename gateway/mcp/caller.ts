import { type AuthInfo, CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { TASKS_EXTENSION } from './task.ts';

/** Whose tasks they are where nobody has to show a token. */
export const LOCAL_PRINCIPAL = 'local';

/** Who sent a request, and what their client can do. */
export interface Caller {
  readonly principal: string;
  /** The client declared the Tasks extension with this very request. */
  readonly declaresTasks: boolean;
  /** The client can put a form before a person. */
  readonly elicits: boolean;
}

const capabilities = z.looseObject({
  extensions: z.record(z.string(), z.unknown()).default({}),
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});

/** Reads the caller off a request. Requests of older protocols carry no capabilities, so they declare nothing. */
export function callerOf(ctx: ServerContext): Caller {
  return callerWith(ctx.http?.authInfo, ctx.mcpReq.envelope ?? {});
}

/** The caller of a request, by the token that it came with and the `_meta` that it carries. */
export function callerWith(authInfo: AuthInfo | undefined, meta: Readonly<Record<string, unknown>>): Caller {
  const declared = capabilities.safeParse(meta[CLIENT_CAPABILITIES_META_KEY]);
  const elicitation = declared.data?.elicitation;
  return {
    principal: authInfo?.clientId ?? LOCAL_PRINCIPAL,
    declaresTasks: declared.data?.extensions[TASKS_EXTENSION] !== undefined,
    // An empty `elicitation` means forms: the mode had no name when the capability was introduced.
    elicits: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
  };
}

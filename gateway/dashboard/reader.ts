import type { Request } from 'express';
import type { Actuation } from '../domain/actuation.ts';
import { UserError } from '../domain/errors.ts';
import { allScopes, LOCAL_PRINCIPAL, SCOPES, type Scope } from '../domain/principal.ts';

/** Who looks, and what for. */
export interface Reader {
  readonly name: string;
  /** `admin` includes all others, and they are listed. */
  readonly can: readonly Scope[];
}

/** The reader of a request that has been let in; where nobody has to show a token, this machine's user. */
export function readerOf({ auth }: Pick<Request, 'auth'>): Reader {
  if (!auth) return { name: LOCAL_PRINCIPAL, can: SCOPES };
  return { name: auth.clientId, can: allScopes(auth.scopes) };
}

/** @throws UserError `not_allowed` where the reader has none of these scopes */
export function requireOneOf(reader: Reader, scopes: readonly Scope[]): void {
  if (scopes.some((scope) => reader.can.includes(scope))) return;
  const has = reader.can.join(', ') || 'none';
  throw new UserError('not_allowed', `This needs the scope ${scopes.join(' or ')}; "${reader.name}" has: ${has}.`);
}

/** Whose commands a reader may list: null for an admin, who may list everybody's. */
export function whose(reader: Reader): string | null {
  return reader.can.includes('admin') ? null : reader.name;
}

/** Whether a command is the reader's to cancel. */
export function isOwn(reader: Reader, { principal }: Actuation): boolean {
  return whose(reader) === null || principal === reader.name;
}

/** Whether a reader may be told of a command: their own, and to whoever may answer it every one that had a question. */
export function sees(reader: Reader, actuation: Actuation): boolean {
  return isOwn(reader, actuation) || (actuation.approval !== null && reader.can.includes('approve'));
}

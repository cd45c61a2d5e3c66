/**
 * What a token may do: look at devices and at its own tasks; command devices, which includes looking; answer the
 * questions of everybody's commands; everything.
 */
export const SCOPES = ['read', 'control', 'approve', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** A token by what is known of it: never the token itself. */
export interface TokenRecord {
  /** The principal: whose the tasks are that it makes. */
  readonly name: string;
  /** SHA-256 of the token's bytes, in hex. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
}

/** Whose tasks they are where nobody has to show a token, and those of this machine's own user. */
export const LOCAL_PRINCIPAL = 'local';

/** Why nobody can be called this, or undefined where it is a good name for a principal. */
export function nameFlaw(name: string): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) {
    return 'a name is made of letters, digits, _ . and -, at most 64 of them';
  }
  if (name === LOCAL_PRINCIPAL) return `"${LOCAL_PRINCIPAL}" is the name of whoever needs no token`;
  return undefined;
}

/** These scopes and those that they include, in the order of `SCOPES`. */
export function allScopes(scopes: readonly string[]): readonly Scope[] {
  const has = (scope: Scope) => scopes.includes(scope) || scopes.includes('admin');
  return SCOPES.filter((scope) => has(scope) || (scope === 'read' && has('control')));
}

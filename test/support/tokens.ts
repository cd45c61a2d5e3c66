import { createHash } from 'node:crypto';
import type { Scope, TokenRecord } from '../../gateway/domain/principal.ts';

/** The token of a principal of the tests. */
export function tokenOf(name: string): string {
  return `token-of-${name}`;
}

/** What the gateway knows of it. */
export function tokenRecord(name: string, ...scopes: Scope[]): TokenRecord {
  return { name, sha256: createHash('sha256').update(tokenOf(name)).digest('hex'), scopes };
}

/** Those of one house: two who command, a screen on the wall, one who answers questions, and the owner. */
export const HOUSEHOLD: readonly TokenRecord[] = [
  tokenRecord('anna', 'control'),
  tokenRecord('ben', 'control'),
  tokenRecord('kiosk', 'read'),
  tokenRecord('judge', 'approve'),
  tokenRecord('owner', 'admin'),
];

import { randomBytes } from 'node:crypto';
import type { Collection } from '../domain/store.ts';

/** A key that stays the same over restarts, in base64url. */
export interface StoredKey {
  readonly key: string;
}

/** The key of this name, made at the first time it is asked for: 32 random bytes. */
export async function secretKey(keys: Collection<StoredKey>, name: string): Promise<Uint8Array> {
  const stored = keys.get(name);
  if (stored) return Buffer.from(stored.key, 'base64url');
  const key = randomBytes(32);
  await keys.put(name, { key: key.toString('base64url') });
  return key;
}

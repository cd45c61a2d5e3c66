import { createHash } from 'node:crypto';
import type { Actuation } from '../domain/actuation.ts';
import { UserError } from '../domain/errors.ts';
import type { Wish } from './commands.ts';

/** Bytes of a task id: enough that nobody guesses one. */
const ID_BYTES = 18;

/** What a key may look like. It must be hard to guess, since the task's id follows from it. */
const KEY = /^[\w.:-]{16,128}$/;

/**
 * The task id of a wish with a key. It follows from the principal and the key alone, so that a repetition finds its task by
 * the store's own index: after a restart too, on every replica, and for exactly as long as the task is kept.
 * @throws UserError `bad_value` for a key that is too short, too long or written in other characters
 */
export function keyedTaskId(principal: string, key: string): string {
  if (!KEY.test(key)) {
    const message = 'An idempotency key has 16 to 128 letters, digits and "-_.:", and is as hard to guess as a UUID.';
    throw new UserError('bad_value', message);
  }
  return createHash('sha256')
    .update(JSON.stringify([principal, key]))
    .digest()
    .subarray(0, ID_BYTES)
    .toString('base64url');
}

/** The same for the same device and values, in whatever order they were named. */
export function digestOf({ deviceId, set }: Wish): string {
  const named = Object.entries(set)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([deviceId, named]))
    .digest('base64url');
}

/** @throws UserError `key_reused` where the key of a task comes back with another device or other values */
export function requireSameWish(task: Actuation, wish: Wish): void {
  if (task.wishDigest === digestOf(wish)) return;
  const message = `This idempotency key belongs to task ${task.taskId}, which is another command. Nothing was sent; use a new key for a new command.`;
  throw new UserError('key_reused', message);
}

import type { TaskClient } from '../../client/task-client.ts';
import { hasEnded } from '../../client/task-state.ts';
import { deliverableMs, type Target, type Wish } from '../../client/wish.ts';
import { messageOf } from '../../domain/errors.ts';
import { endedAs } from './exit-code.ts';
import { notice } from './session.ts';

/** Whether the same is wished for, in the same words. */
export function isSame(one: Target, other: Target): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Whether a wish that was left, and has just been taken up, is still what it was: one that may yet be delivered, or whose
 * task has not ended. What ended while nobody looked is told, and is no answer to a wish of now.
 */
export async function isStanding(client: TaskClient, wish: Wish): Promise<boolean> {
  if (wish.stage !== 'following') return deliverableMs(wish) > 0;
  let unsubscribe = () => {};
  const runs = new Promise<undefined>((resolve) => {
    unsubscribe = client.subscribe((event) => {
      if (event.type === 'task' && event.wish.id === wish.id && !hasEnded(event.task)) resolve(undefined);
    });
  });
  const ended = client
    .ended(wish.id)
    .then((known) => (known?.outcome ? `has ended: ${endedAs(known.outcome)}` : 'is gone'), messageOf);
  const why = await Promise.race([runs, ended]).finally(unsubscribe);
  if (why === undefined) return true;
  notice(`the same wish of ${new Date(wish.madeAt).toISOString()} ${why}; this is a new one`);
  return false;
}

import type { Wish } from '../../client/wish.ts';
import { StartError } from '../../domain/errors.ts';

/**
 * The wish that is meant by the beginning of its id, or of its task's.
 * @throws StartError where there is none, or several
 */
export function matching(wishes: readonly Wish[], beginning: string): Wish {
  const found = wishes.filter(({ id, task }) => id.startsWith(beginning) || task?.taskId.startsWith(beginning));
  const open = found.filter(({ outcome }) => outcome === null);
  const [only, another] = open.length > 0 ? open : found;
  if (!only)
    throw new StartError(`no wish or task has an id that begins with "${beginning}": \`readback tasks\` lists them`);
  if (another) throw new StartError(`several ids begin with "${beginning}": write more of it`);
  return only;
}

import { expect, it } from 'vitest';
import { type Undo, undoAll } from '../../gateway/undo.ts';

it('takes back everything, last things first, whatever fails on the way, and tells of the first failure', async () => {
  const done: string[] = [];
  const step =
    (name: string, fails = false): Undo =>
    async () => {
      done.push(name);
      if (fails) throw new Error(`${name} failed`);
    };
  const steps = [step('store', true), step('engine'), step('doors', true)];
  await expect(undoAll(steps)).rejects.toThrow('doors failed');
  expect(done).toEqual(['doors', 'engine', 'store']);
  await undoAll(steps);
  expect(done).toHaveLength(3);
});

/** Takes back one thing that was started. */
export type Undo = () => Promise<void>;

/**
 * Takes back what was started, last things first, and empties the list. One step that fails keeps no other from its turn.
 * @throws the first failure, once all have had theirs
 */
export async function undoAll(steps: Undo[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps.splice(0).reverse()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

import type { Drifted } from '../domain/drift.ts';
import type { History, PastTask } from '../domain/history.ts';
import type { TaskStore } from '../domain/store.ts';

/** Settled commands fetched at a time. */
const PAGE = 1_000;

/** What has been commanded, day by day: what the store still has, and before that, what went into history. */
export class Past {
  readonly #store: TaskStore;
  readonly #history: History;
  readonly #aftermathOf: (taskId: string) => readonly Drifted[];

  constructor(store: TaskStore, history: History, aftermathOf: (taskId: string) => readonly Drifted[]) {
    this.#store = store;
    this.#history = history;
    this.#aftermathOf = aftermathOf;
  }

  /** The days on which something was commanded that has ended; newest first. */
  async days(): Promise<readonly string[]> {
    const [recent, old] = await Promise.all([this.#store.days(), this.#history.days()]);
    return [...new Set([...recent, ...old])].sort().reverse();
  }

  /** The settled commands of a day, each once, newest first. @param principal whose; null: everybody's */
  async ofDay(day: string, principal: string | null): Promise<readonly PastTask[]> {
    // Looked at in the order in which a task may move meanwhile, so that none is missed.
    const recent = await this.#recent(day, principal);
    const known = new Set(recent.map(({ actuation }) => actuation.taskId));
    const isAskedFor = ({ actuation }: PastTask) =>
      !known.has(actuation.taskId) && (principal === null || actuation.principal === principal);
    return [...recent, ...(await this.#history.read(day)).filter(isAskedFor).reverse()];
  }

  async #recent(day: string, principal: string | null): Promise<PastTask[]> {
    const found: PastTask[] = [];
    for (;;) {
      const after = found.at(-1)?.actuation.taskId;
      const page = await this.#store.list({
        ...{ day, open: false, limit: PAGE },
        ...(principal !== null && { principal }),
        ...(after !== undefined && { after }),
      });
      for (const actuation of page) found.push({ actuation, aftermath: this.#aftermathOf(actuation.taskId) });
      if (page.length < PAGE) return found;
    }
  }
}

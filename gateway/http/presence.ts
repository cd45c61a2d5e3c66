import type { ServerResponse } from 'node:http';

/** Who is being answered right now: so that those who are shut out lose what they have open. */
export class Presence {
  readonly #open = new Map<string, Set<ServerResponse>>();
  readonly #ended = new WeakSet<ServerResponse>();

  /** Remembers an answer until it has ended. */
  enter(principal: string, res: ServerResponse): void {
    const open = this.#open.get(principal) ?? new Set();
    this.#open.set(principal, open.add(res));
    res.once('close', () => {
      open.delete(res);
      if (open.size === 0 && this.#open.get(principal) === open) this.#open.delete(principal);
    });
  }

  /**
   * Breaks off every stream of a principal. A call that runs still gets its answer, as the very one does that had the token
   * revoked; one that was let in while it was arriving is to be asked after with `hasEnded`.
   */
  end(principal: string): void {
    for (const res of this.#open.get(principal) ?? []) {
      this.#ended.add(res);
      if (res.headersSent) res.destroy();
    }
  }

  /** Whether the access by which a request was let in has ended since. */
  hasEnded(res: ServerResponse): boolean {
    return this.#ended.has(res);
  }
}

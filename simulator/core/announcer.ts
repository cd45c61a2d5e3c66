import type { State } from './model.ts';

/** What a device does of its own accord, for faces that push. */
export type DeviceEvent =
  /** It tells what its sensors show: the fields that it just acted on, and every other that shows something new. */
  | { readonly type: 'shown'; readonly fields: readonly string[]; readonly garbled: boolean }
  | { readonly type: 'reachable'; readonly reachable: boolean }
  /** It begins anew; nothing that was under way comes after it. */
  | { readonly type: 'reset' };

/** Tells listeners what is new, and nothing twice. */
export class Announcer {
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  #told: State;
  #reachable = true;

  constructor(start: State) {
    this.#told = start;
  }

  /** @returns a function that ends it */
  subscribe(listener: (event: DeviceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param garbled asked only where somebody hears it, for a fault is used up by the answer */
  tell(shown: State, touched: readonly string[], garbled: () => boolean): void {
    const news = Object.keys(shown).filter((name) => shown[name] !== this.#told[name]);
    this.#told = shown;
    const fields = [...new Set([...touched, ...news])];
    if (fields.length > 0 && this.#listeners.size > 0) this.#emit({ type: 'shown', fields, garbled: garbled() });
  }

  /** Nobody is told: this is as good as told. */
  keepQuiet(shown: State): void {
    this.#told = shown;
  }

  tellReachable(reachable: boolean): void {
    if (reachable === this.#reachable) return;
    this.#reachable = reachable;
    this.#emit({ type: 'reachable', reachable });
  }

  reset(shown: State): void {
    this.#told = shown;
    this.#emit({ type: 'reset' });
  }

  #emit(event: DeviceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

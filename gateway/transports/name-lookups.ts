import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Callback = Parameters<LookupFunction>[2];

/** Lookups at a time, of the four threads that Node has for them. */
const AT_A_TIME = 2;

/**
 * Looks names up, a few at a time and each name once for all who wait for it. A lookup occupies one of the threads that
 * also write the store's files, for many seconds where the name server is gone, and cannot be called off: devices whose
 * names nobody knows would hold up everything else.
 */
export class NameLookups {
  readonly #lookup: LookupFunction;
  readonly #atATime: number;
  /** Who waits for what, by the question. */
  readonly #open = new Map<string, Callback[]>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(lookup: LookupFunction, atATime: number) {
    this.#lookup = lookup;
    this.#atATime = atATime;
  }

  readonly look: LookupFunction = (name, options, callback) => {
    const question = JSON.stringify([name, options]);
    const others = this.#open.get(question);
    if (others) {
      others.push(callback);
      return;
    }
    this.#open.set(question, [callback]);
    const run = () => {
      this.#running += 1;
      this.#lookup(name, options, (...answer) => this.#end(question, answer));
    };
    if (this.#running < this.#atATime) run();
    else this.#waiting.push(run);
  };

  #end(question: string, answer: Parameters<Callback>): void {
    this.#running -= 1;
    const callbacks = this.#open.get(question) ?? [];
    this.#open.delete(question);
    this.#waiting.shift()?.();
    for (const callback of callbacks) callback(...answer);
  }
}

/** Those of this process: its threads are what they share. */
export const nameLookups = new NameLookups(lookup as LookupFunction, AT_A_TIME);

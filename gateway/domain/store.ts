import type { Actuation } from './actuation.ts';
import type { Verdict } from './verdict.ts';

/** Which tasks to list; newest first, in the order of their making. */
export interface TaskQuery {
  readonly principal?: string;
  readonly deviceId?: string;
  readonly verdict?: Verdict;
  /** true: only those without an outcome; false: only those with one. */
  readonly open?: boolean;
  /** Only those of this day, as `dayOf` says it. */
  readonly day?: string;
  readonly oldestFirst?: true;
  /** At most this many (1 to 1,000). */
  readonly limit: number;
  /** Continue after this task. */
  readonly after?: string;
}

/**
 * Where tasks live. Two implementations must not be told apart by anything but speed: one contract suite runs over all.
 * Every method rejects with `StoreError` when the store cannot do its work.
 */
export interface TaskStore {
  /**
   * Keeps the record, replacing an earlier one of the same id. Resolves once it would survive a power cut. Puts of one
   * task are kept in the order in which they were called.
   */
  put(actuation: Actuation): Promise<void>;
  get(taskId: string): Promise<Actuation | undefined>;
  list(query: TaskQuery): Promise<readonly Actuation[]>;
  /** How many there are. */
  count(): Promise<number>;
  /** The days of the settled ones, as `dayOf` says them; newest first. */
  days(): Promise<readonly string[]>;
  /** Forgets these tasks; unknown ids are passed over. */
  remove(taskIds: readonly string[]): Promise<void>;
  /** Finishes what was begun and lets go of files. */
  close(): Promise<void>;
}

/** Documents of one kind by their key, in the order in which the keys first came. */
export interface Collection<T> {
  readonly size: number;
  get(key: string): T | undefined;
  /** Oldest first. */
  keys(): Iterable<string>;
  /** Oldest first. */
  values(): Iterable<T>;
  /**
   * Keeps a document, replacing an earlier one of the same key. It can be seen once this has resolved, and would then
   * survive a power cut. Puts of one key are kept in the order in which they were called. The store holds the very
   * object: neither it nor what `get` gives may be changed afterwards.
   */
  put(key: string, value: T): Promise<void>;
  /** Forgets these documents; unknown keys are passed over. */
  remove(keys: readonly string[]): Promise<void>;
}

/** Whether anything can be stored just now. */
export type StoreHealth =
  | { readonly writable: true }
  /** `reason`: for the owner, in one sentence. `forMs`: since when, in ms. */
  | { readonly writable: false; readonly reason: string; readonly forMs: number };

/** The store cannot read or keep records: the disk is full, a file is damaged, another process owns it. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: 'damaged' | 'unwritable' | 'locked' | 'closed';

  constructor(kind: StoreError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

import type { Clock } from './clock.ts';
import type { FieldValue, State } from './model.ts';

/** When something really happened: milliseconds since 1970, and on the monotonic clock since the simulator started. */
interface Stamp {
  readonly epoch_ms: number;
  readonly mono_ms: number;
}

/** A command that reached the device. */
export interface CommandEntry extends Stamp {
  readonly type: 'command';
  readonly device: string;
  /** Counts the device's commands from 1. */
  readonly command: number;
  readonly body: State;
  /** The faults that applied to it. */
  readonly faults: readonly string[];
}

/** A command that reached the device and made no sense to it. */
export interface RejectedEntry extends Stamp {
  readonly type: 'rejected';
  readonly device: string;
  readonly body: unknown;
  readonly error: string;
}

/** The device acted: what really changed, which is nothing where it stood there already. */
export interface ActuationEntry extends Stamp {
  readonly type: 'actuation';
  readonly device: string;
  /** The command behind it; null where the state was set by hand. */
  readonly command: number | null;
  readonly changes: Readonly<Record<string, { readonly from: FieldValue; readonly to: FieldValue }>>;
}

export type TruthEntry = CommandEntry | RejectedEntry | ActuationEntry;

/** Exact, however long the simulator runs. */
export interface Counts {
  commands: number;
  rejected: number;
  actuations: number;
  /** Times its sensors were read. */
  sensor_requests: number;
  /** Requests of either kind that found it unreachable. */
  lost_requests: number;
}

type Unstamped<T> = T extends Stamp ? Omit<T, keyof Stamp> : never;

const COUNTER = { command: 'commands', rejected: 'rejected', actuation: 'actuations' } as const;

/** Entries kept; older ones are forgotten, but stay counted. */
const KEPT = 1_000;

/** The ground truth: what the devices really received and really did, whatever they said about it. */
export class TruthLog {
  readonly #clock: Clock;
  readonly #startMono: number;
  readonly #counts = new Map<string, Counts>();
  readonly #listeners = new Set<(entry: TruthEntry) => void>();
  #entries: TruthEntry[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMono = clock.now().mono;
  }

  add(unstamped: Unstamped<TruthEntry>): void {
    const { wall, mono } = this.#clock.now();
    const entry = { ...unstamped, epoch_ms: wall, mono_ms: mono - this.#startMono };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    this.count(entry.device, COUNTER[entry.type]);
    for (const listener of this.#listeners) listener(entry);
  }

  count(device: string, counter: keyof Counts): void {
    const counts = this.#counts.get(device) ?? noCounts();
    counts[counter] += 1;
    this.#counts.set(device, counts);
  }

  /** The latest entries, oldest first: of one device, or of all. */
  entries(device?: string): readonly TruthEntry[] {
    return this.#entries.filter((entry) => device === undefined || entry.device === device);
  }

  counts(device: string): Readonly<Counts> {
    return { ...(this.#counts.get(device) ?? noCounts()) };
  }

  /** Hears every entry as it is made. @returns a function that ends it */
  subscribe(listener: (entry: TruthEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets what happened; listeners stay. */
  clear(): void {
    this.#entries = [];
    this.#counts.clear();
  }
}

function noCounts(): Counts {
  return { commands: 0, rejected: 0, actuations: 0, sensor_requests: 0, lost_requests: 0 };
}

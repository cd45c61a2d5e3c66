import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What is asked for at every look. */
export interface StoreSources {
  readonly storeWritable: () => boolean;
  /** What is on the disk, in bytes. */
  readonly storeSize: () => Promise<{ readonly journal: number; readonly snapshot: number; readonly history: number }>;
}

/** From a fast disk to a worn SD card, in s. */
const STORE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Measures how the store keeps what it is given. */
export class StoreMetrics {
  readonly #registry: Registry;
  readonly #commits: Histogram;
  readonly #failures: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#commits = new Histogram({
      name: 'readback_store_commit_seconds',
      help: 'From the moment at which something was to be stored to the one at which it would survive a power cut.',
      buckets: STORE_BUCKETS_S,
      registers,
    });
    this.#failures = new Counter({
      name: 'readback_store_failures_total',
      help: 'Changes that could not be stored.',
      registers,
    });
  }

  show({ storeWritable, storeSize }: StoreSources): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'readback_store_writable',
      help: '0 while nothing can be stored, and commands are refused; else 1.',
      registers,
      collect() {
        this.set(storeWritable() ? 1 : 0);
      },
    });
    new Gauge({
      name: 'readback_store_bytes',
      help: 'What the data folder takes up: its journals, its snapshots, its history.',
      labelNames: ['part'],
      registers,
      async collect() {
        for (const [part, bytes] of Object.entries(await storeSize())) this.set({ part }, bytes);
      },
    });
  }

  stored({ tookMs, ok }: { readonly tookMs: number; readonly ok: boolean }): void {
    if (ok) this.#commits.observe(tookMs / 1_000);
    else this.#failures.inc();
  }
}

import { readdir, readFile } from 'node:fs/promises';

/** How a process stands at one moment. */
export interface Vitals {
  /** Since the beginning, in ms. */
  readonly atMs: number;
  /** Memory that it holds, in MB. */
  readonly rssMb: number;
  /** Files and sockets that are open. */
  readonly handles: number;
}

/** What a stretch of time did to a process. */
export interface Growth {
  readonly from: number;
  readonly to: number;
}

/** Looks at a process again and again. Linux only: it reads `/proc`. */
export class VitalsWatch {
  readonly samples: Vitals[] = [];
  readonly #pid: number;
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number, everyMs: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => void this.#look(), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      const status = await readFile(`/proc/${this.#pid}/status`, 'utf8');
      const handles = (await readdir(`/proc/${this.#pid}/fd`)).length;
      const rssMb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
      this.samples.push({ atMs: performance.now() - this.#begun, rssMb, handles });
    } catch {
      // It has just ended.
    }
  }
}

/** The lowest of a figure in the second quarter of the time and in the last one: the first is for caches to fill. */
export function growth(samples: readonly Vitals[], figure: 'rssMb' | 'handles'): Growth {
  const quarter = Math.floor(samples.length / 4);
  // The lowest and not the middle: between two collections memory goes up and down with what is thrown away.
  const lowest = (part: readonly Vitals[]) => Math.min(...part.map((sample) => sample[figure]));
  return { from: lowest(samples.slice(quarter, 2 * quarter)), to: lowest(samples.slice(-quarter)) };
}

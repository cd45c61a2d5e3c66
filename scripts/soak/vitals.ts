import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Program } from '../support/programs.ts';

/** How a process stands at one moment. */
export interface Vitals {
  /** What it holds after everything was thrown away that nobody holds, in MB. */
  readonly heapMb: number;
  /** Memory of the whole process, in MB. */
  readonly rssMb: number;
  /** Files and sockets that are open. */
  readonly handles: number;
}

/** What a stretch of time did to a process. */
export interface Growth {
  readonly from: number;
  readonly to: number;
}

const messageSchema = z.object({
  vitals: z.object({ heapMb: z.number(), rssMb: z.number(), handles: z.number() }),
});

/** The environment in which a gateway tells of itself when it is asked. Linux only: it looks into `/proc`. */
export function watched(): NodeJS.ProcessEnv {
  const preload = pathToFileURL(fileURLToPath(new URL('vitals-preload.js', import.meta.url))).href;
  const options = [process.env.NODE_OPTIONS, '--expose-gc', `--import=${preload}`];
  return { NODE_OPTIONS: options.filter((each) => each !== undefined).join(' ') };
}

/** Asks a process again and again how it stands. */
export class VitalsWatch {
  readonly samples: Vitals[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(program: Program, everyMs: number) {
    program.onMessage((message) => {
      const { data } = messageSchema.safeParse(message);
      if (data) this.samples.push(data.vitals);
    });
    this.#timer = setInterval(() => process.kill(program.pid, 'SIGUSR2'), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** The lowest of a figure in the second quarter of the time and in the last one: the first is for caches to fill. */
export function growth(samples: readonly Vitals[], figure: keyof Vitals): Growth {
  const quarter = Math.floor(samples.length / 4);
  // The lowest and not the middle: what is under way at the moment of a look comes on top.
  const lowest = (part: readonly Vitals[]) => Math.min(...part.map((sample) => sample[figure]));
  return { from: lowest(samples.slice(quarter, 2 * quarter)), to: lowest(samples.slice(-quarter)) };
}

import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const value = z.union([z.string(), z.number()]);
const state = z.record(z.string(), value);

const entrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), device: z.string(), state }),
  z.object({ type: z.literal('command'), device: z.string(), epoch_ms: z.number(), body: state }),
  z.object({ type: z.literal('rejected'), device: z.string(), epoch_ms: z.number(), body: z.unknown() }),
  z.object({
    type: z.literal('actuation'),
    device: z.string(),
    epoch_ms: z.number(),
    changes: z.record(z.string(), z.object({ to: value })),
  }),
]);

export type TruthLine = z.output<typeof entrySchema>;

/** A command that reached a device, sensible or not. */
export type Reception = Extract<TruthLine, { type: 'command' | 'rejected' }>;

/** What really happened to the devices. Times in ms since 1970, on the machine's one wall clock. */
export class Truth {
  readonly receptions: readonly Reception[];
  readonly #lines: readonly TruthLine[];

  constructor(lines: readonly TruthLine[]) {
    this.#lines = lines;
    this.receptions = lines.filter((line) => line.type === 'command' || line.type === 'rejected');
  }

  /** What reached a device within a span, both ends included. */
  receivedIn(device: string, fromMs: number, toMs: number): readonly Reception[] {
    return this.receptions.filter((each) => each.device === device && each.epoch_ms >= fromMs && each.epoch_ms <= toMs);
  }

  /** Where a device really stood at a moment; undefined before anything is known of it. */
  at(device: string, field: string, atMs: number): string | number | undefined {
    let now: string | number | undefined;
    for (const line of this.#lines) {
      if (line.device !== device) continue;
      if (line.type === 'start') now = line.state[field];
      if (line.type !== 'actuation') continue;
      if (line.epoch_ms > atMs) break;
      now = line.changes[field]?.to ?? now;
    }
    return now;
  }

  /** Whether a field really changed within a span. */
  changedIn(device: string, field: string, fromMs: number, toMs: number): boolean {
    return this.#lines.some(
      (line) =>
        line.type === 'actuation' &&
        line.device === device &&
        line.epoch_ms > fromMs &&
        line.epoch_ms <= toMs &&
        line.changes[field] !== undefined,
    );
  }

  /** Whether a device really stood at such a value at any moment of a span. */
  stoodAt(device: string, field: string, isWanted: (value: unknown) => boolean, fromMs: number, toMs: number): boolean {
    let now: string | number | undefined;
    for (const line of this.#lines) {
      if (line.device !== device) continue;
      if (line.type === 'start') now = line.state[field];
      if (line.type !== 'actuation') continue;
      if (line.epoch_ms > toMs) break;
      if (line.epoch_ms > fromMs && isWanted(now)) return true;
      now = line.changes[field]?.to ?? now;
    }
    return isWanted(now);
  }
}

/** Reads what the simulator's process wrote. */
export async function readTruth(file: string): Promise<Truth> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return new Truth(lines.map((line) => entrySchema.parse(JSON.parse(line))));
}

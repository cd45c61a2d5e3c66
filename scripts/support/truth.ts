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

type Value = z.output<typeof value>;

/** A value, and when a field stood at it: from the one moment up to the other. */
interface Stand {
  readonly value: Value | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

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
  at(device: string, field: string, atMs: number): Value | undefined {
    return this.#stands(device, field).findLast(({ fromMs }) => fromMs <= atMs)?.value;
  }

  /** Whether a field really changed within a span. */
  changedIn(device: string, field: string, fromMs: number, toMs: number): boolean {
    return this.#stands(device, field).some((stand) => stand.fromMs > fromMs && stand.fromMs <= toMs);
  }

  /** Whether a device really stood at such a value at any moment of a span. */
  stoodAt(device: string, field: string, isWanted: (value: unknown) => boolean, fromMs: number, toMs: number): boolean {
    return this.#stands(device, field).some(
      (stand) => stand.fromMs <= toMs && stand.toMs > fromMs && isWanted(stand.value),
    );
  }

  /** Every value at which a field really stood, and from when to when. */
  #stands(device: string, field: string): Stand[] {
    const changes = this.#lines.flatMap((line) => {
      if (line.device !== device) return [];
      if (line.type === 'start') return [{ value: line.state[field], fromMs: Number.NEGATIVE_INFINITY }];
      const to = line.type === 'actuation' ? line.changes[field]?.to : undefined;
      return line.type === 'actuation' && to !== undefined ? [{ value: to, fromMs: line.epoch_ms }] : [];
    });
    return changes.map((change, index) => ({
      ...change,
      toMs: changes[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY,
    }));
  }
}

/** Reads what the simulator's process wrote. */
export async function readTruth(file: string): Promise<Truth> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return new Truth(lines.map((line) => entrySchema.parse(JSON.parse(line))));
}

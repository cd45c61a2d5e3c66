import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Actuation } from '../domain/actuation.ts';
import type { Drifted } from '../domain/drift.ts';
import { dayOf, type History, type HistoryBounds, type PastTask } from '../domain/history.ts';
import { codeOf, type Files } from './file-layer.ts';
import { FIRST, frame, unframe } from './framed-lines.ts';
import { type StoreNotice, unwritable } from './store-errors.ts';

/** The folder of the day files, in the data folder. */
export const HISTORY_FOLDER = 'history';

/** Lines that are read in one turn of the event loop: some milliseconds' worth on a Raspberry Pi. */
const BITE = 50;

const recordSchema = z.looseObject({ taskId: z.string() });

/** A line of a day file, or of a backup. The checksum vouches for the rest of it. */
export const pastTaskSchema = z.object({
  actuation: z.custom<Actuation>((value) => recordSchema.safeParse(value).success),
  aftermath: z.array(z.custom<Drifted>((value) => typeof value === 'object' && value !== null)),
});

/**
 * History as one file a day, `history/2026-11-30.jsonl`. Every line proves itself, and none depends on the one before:
 * what a crash tears, or a bad sector takes, is one command and not a day.
 */
export class DayFiles implements History {
  readonly #files: Files;
  readonly #folder: string;
  readonly #onNotice: (notice: StoreNotice) => void;
  /** Files that certainly end with a line end, because this process wrote it. */
  readonly #whole = new Set<string>();
  /** How many bad lines of a file were told of. */
  readonly #told = new Map<string, number>();

  constructor(files: Files, dataFolder: string, onNotice: (notice: StoreNotice) => void) {
    this.#files = files;
    this.#folder = join(dataFolder, HISTORY_FOLDER);
    this.#onNotice = onNotice;
  }

  async days(): Promise<readonly string[]> {
    return (await this.#dayNames()).map((name) => name.slice(0, -'.jsonl'.length)).reverse();
  }

  async read(day: string): Promise<readonly PastTask[]> {
    const name = `${day}.jsonl`;
    if (!isDayName(name)) return [];
    const tasks = new Map<string, PastTask>();
    let bad = 0;
    for await (const line of this.#lines(name)) {
      const past = pastTaskSchema.safeParse(unframe(line, FIRST)?.value).data;
      if (!past) bad += 1;
      // A crash before the task left the store has it put here once more.
      else if (!tasks.has(past.actuation.taskId)) tasks.set(past.actuation.taskId, past);
    }
    if (bad > (this.#told.get(name) ?? 0)) {
      const message = `${join(this.#folder, name)}: ${bad} of its lines are torn or damaged, and are left out.`;
      this.#onNotice({ type: 'history_damaged', message });
    }
    this.#told.set(name, bad);
    return [...tasks.values()];
  }

  async append(tasks: readonly PastTask[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const past of tasks) {
      const name = `${dayOf(past.actuation)}.jsonl`;
      const line = frame(JSON.stringify(past).slice(1, -1), FIRST).text;
      texts.set(name, (texts.get(name) ?? '') + line);
    }
    for (const [name, text] of texts) await this.#append(name, text);
  }

  async trim({ days, bytes }: HistoryBounds): Promise<readonly string[]> {
    const names = await this.#dayNames();
    const sizes = await Promise.all(names.map((name) => this.#files.size(join(this.#folder, name))));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    const removed: string[] = [];
    for (const [place, name] of names.entries()) {
      if (names.length - place <= days && total <= bytes) break;
      await this.#files.unlink(join(this.#folder, name));
      this.#whole.delete(name);
      total -= sizes[place] ?? 0;
      removed.push(name.slice(0, -'.jsonl'.length));
    }
    return removed;
  }

  async #append(name: string, text: string): Promise<void> {
    const path = join(this.#folder, name);
    const isWhole = this.#whole.delete(name);
    try {
      await this.#files.makeFolder(this.#folder);
      const file = await this.#files.append(path);
      try {
        // What an earlier crash or a full disk cut short must not run into this.
        await file.write(isWhole ? text : `\n${text}`);
        await file.datasync();
      } finally {
        await file.close();
      }
      if (!isWhole) await this.#files.syncFolder(this.#folder);
    } catch (error) {
      throw unwritable(this.#folder, error);
    }
    this.#whole.add(name);
  }

  /** Oldest first. */
  async #dayNames(): Promise<string[]> {
    try {
      return (await this.#files.list(this.#folder)).filter(isDayName).sort();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** The lines of a file that are not empty; other work has its turn in between. */
  async *#lines(name: string): AsyncGenerator<Buffer> {
    const content = await this.#files.read(join(this.#folder, name)).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    let count = 0;
    for (let from = 0; from < content.length; ) {
      const end = content.indexOf('\n', from);
      const line = content.subarray(from, end < 0 ? content.length : end);
      from += line.length + 1;
      if (line.length === 0) continue;
      if (++count % BITE === 0) await nextTurn();
      yield line;
    }
  }
}

function isDayName(name: string): boolean {
  return /^\d{4}-\d\d-\d\d\.jsonl$/.test(name);
}

import { join } from 'node:path';
import { z } from 'zod';
import { type Change, documentValue } from './document-store.ts';
import type { Files, OpenFile } from './file-layer.ts';
import { FIRST, type FramedLine, frame, scan, type Trouble } from './framed-lines.ts';
import { journalName, UNFINISHED } from './generations.ts';
import { damaged } from './store-errors.ts';

const FORMAT = 'readback-journal';
const VERSION = 1;

const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  generation: z.number().int(),
  after: z.number().int(),
});

const entrySchema = z.object({
  seq: z.number().int(),
  collection: z.string(),
  key: z.string(),
  value: documentValue.nullable(),
});

/**
 * An append-only file of changes, written by one run of the process and never appended to again after a failure or a
 * restart: a new generation is begun instead, and its header says after which change it goes on. Whatever an older
 * journal holds beyond that was never acknowledged.
 */
export class Journal {
  readonly generation: number;
  /** Sequence number of the change after which it goes on. */
  readonly after: number;
  readonly #file: OpenFile;
  #crc: number;
  #seq: number;
  #bytes: number;

  private constructor(generation: number, after: number, file: OpenFile, header: FramedLine) {
    this.generation = generation;
    this.after = after;
    this.#file = file;
    this.#seq = after;
    this.#crc = header.crc;
    this.#bytes = Buffer.byteLength(header.text);
  }

  /**
   * Makes an empty journal that goes on after the change `after`. It gets its name once its header is on disk, so a
   * journal without a whole header is always damage.
   */
  static async begin(files: Files, folder: string, generation: number, after: number): Promise<Journal> {
    const path = join(folder, journalName(generation));
    const header = frame(JSON.stringify({ format: FORMAT, version: VERSION, generation, after }).slice(1, -1), FIRST);
    const file = await files.create(path + UNFINISHED);
    try {
      await file.write(header.text);
      await file.datasync();
      await files.rename(path + UNFINISHED, path);
      await files.syncFolder(folder);
    } catch (error) {
      await file.close().catch(() => {});
      throw error;
    }
    return new Journal(generation, after, file, header);
  }

  /** Size in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds entries with one write and one sync. Once this has rejected, the journal must be given up.
   * @param entries as `encode` gave them
   * @returns the sequence number of the last one
   */
  async append(entries: readonly string[]): Promise<number> {
    let text = '';
    let seq = this.#seq;
    let crc = this.#crc;
    for (const entry of entries) {
      seq += 1;
      const line = frame(`"seq":${seq},${entry}`, crc);
      text += line.text;
      crc = line.crc;
    }
    await this.#file.write(text);
    await this.#file.datasync();
    this.#seq = seq;
    this.#crc = crc;
    this.#bytes += Buffer.byteLength(text);
    return seq;
  }

  /**
   * After a failure: tries to take back what was written and not acknowledged, lest a restart believe it before the next
   * generation disowns it. On a disk that refuses even that, there is nothing more to do.
   */
  async giveUp(): Promise<void> {
    try {
      await this.#file.truncate(this.#bytes);
      await this.#file.datasync();
    } catch {
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    // What was acknowledged is synced already: closing can lose nothing.
    await this.#file.close().catch(() => {});
  }
}

/** A change as it is written to a journal; made when it is asked for, so that it is what the caller saw. */
export function encode(change: Change): string {
  return JSON.stringify({ collection: change.collection, key: change.key, value: change.value }).slice(1, -1);
}

/** What a journal file holds, up to the first line that is not whole. */
export interface JournalContent {
  readonly generation: number;
  readonly path: string;
  readonly bytes: number;
  /** Sequence number of the change after which it goes on. */
  readonly after: number;
  readonly changes: readonly Change[];
  readonly trouble: Trouble | null;
}

/**
 * @param next what a person can do about a damaged file
 * @throws StoreError `damaged` where the header is not whole, or of another version
 */
export async function readJournal(
  files: Files,
  folder: string,
  generation: number,
  next: string,
): Promise<JournalContent> {
  const path = join(folder, journalName(generation));
  const content = await files.read(path);
  const { lines, trouble } = scan(content);
  const after = readHeader(lines[0]?.value, generation, (what) => damaged(path, what, next));
  const journal = { generation, path, bytes: content.length, after };
  const changes: Change[] = [];
  for (const { value, offset } of lines.slice(1)) {
    const entry = entrySchema.safeParse(value);
    const expected = after + changes.length + 1;
    if (entry.success && entry.data.seq === expected) changes.push(entry.data);
    else {
      const what = `it is not change ${expected}`;
      return { ...journal, changes, trouble: { kind: 'damaged', line: changes.length + 2, offset, what } };
    }
  }
  return { ...journal, changes, trouble };
}

/** @returns the change after which the journal goes on */
function readHeader(value: unknown, generation: number, refuse: (what: string) => Error): number {
  const header = headerSchema.safeParse(value);
  if (!header.success) throw refuse('line 1, at byte 0: it is not the header of a journal');
  const { version, after } = header.data;
  if (version !== VERSION) throw refuse(`it has format ${version} of another version, and this one reads ${VERSION}`);
  if (header.data.generation !== generation)
    throw refuse(`it is generation ${header.data.generation} under another name`);
  return after;
}

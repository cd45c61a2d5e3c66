import { join } from 'node:path';
import type { Adapter } from 'lowdb';
import { z } from 'zod';
import { type Change, documentValue } from './document-store.ts';
import type { Files, OpenFile } from './file-layer.ts';
import { FIRST, frame, scan } from './framed-lines.ts';
import { FIRST_GENERATION, generationsIn, snapshotName, UNFINISHED, wayBack } from './generations.ts';
import { damaged } from './store-errors.ts';

const FORMAT = 'readback-snapshot';
const VERSION = 1;

/** The whole state before the first change of the journal of the same generation. */
export interface Snapshot {
  readonly generation: number;
  /** Sequence number of the last change that is in it. */
  readonly seq: number;
  readonly documents: readonly Change[];
}

/** The state of a new folder. */
export const EMPTY: Snapshot = { generation: FIRST_GENERATION, seq: 0, documents: [] };

const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  generation: z.number().int(),
  seq: z.number().int(),
  documents: z.number().int(),
});

export const documentSchema = z.object({
  collection: z.string(),
  key: z.string(),
  value: documentValue,
});

/** Bytes that are put together before they are written: few enough to leave the event loop free in between. */
const CHUNK_BYTES = 128 * 1024;

/**
 * Gives lowdb snapshots that survive a power cut: a new one is written beside the others, synced, and only then given
 * its name. The one before stays as the backup, and a damaged one is refused, never taken for an empty store.
 */
export class SnapshotAdapter implements Adapter<Snapshot> {
  readonly #files: Files;
  readonly #folder: string;
  /** Size of the snapshot that was read or written last, in bytes. */
  bytes = 0;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** The newest snapshot; null where there is none. */
  async read(): Promise<Snapshot | null> {
    const generations = generationsIn(await this.#files.list(this.#folder));
    const generation = generations.snapshots.at(-1);
    if (generation === undefined) return null;
    const path = join(this.#folder, snapshotName(generation));
    const content = await this.#files.read(path);
    const result = parse(content, generation);
    if (typeof result === 'string') throw damaged(path, result, wayBack(generations, generation));
    this.bytes = content.length;
    return result;
  }

  async write(snapshot: Snapshot): Promise<void> {
    const path = join(this.#folder, snapshotName(snapshot.generation));
    const unfinished = path + UNFINISHED;
    const file = await this.#files.create(unfinished);
    try {
      const bytes = await writeLines(file, snapshot);
      await file.datasync();
      await this.#files.rename(unfinished, path);
      await this.#files.syncFolder(this.#folder);
      this.bytes = bytes;
    } catch (error) {
      // Half a snapshot would hold on to space that the journal may need.
      await this.#files.unlink(unfinished).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
  }
}

/** @returns how many bytes were written */
async function writeLines(file: OpenFile, { generation, seq, documents }: Snapshot): Promise<number> {
  const header = { format: FORMAT, version: VERSION, generation, seq, documents: documents.length };
  let line = frame(JSON.stringify(header).slice(1, -1), FIRST);
  let chunk = line.text;
  let bytes = 0;
  for (const document of documents) {
    line = frame(JSON.stringify(document).slice(1, -1), line.crc);
    chunk += line.text;
    if (chunk.length < CHUNK_BYTES) continue;
    await file.write(chunk);
    bytes += Buffer.byteLength(chunk);
    chunk = '';
  }
  await file.write(chunk);
  return bytes + Buffer.byteLength(chunk);
}

/** @returns what is wrong, where something is */
function parse(content: Buffer, generation: number): Snapshot | string {
  const { lines, trouble } = scan(content);
  const values = lines.map((line) => line.value);
  if (trouble) return `line ${trouble.line}, at byte ${trouble.offset}: ${trouble.what}`;
  const header = headerSchema.safeParse(values[0]);
  if (!header.success) return values.length === 0 ? 'it is empty' : 'it does not begin like a snapshot';
  if (header.data.version !== VERSION) {
    return `it has format ${header.data.version} of another version, and this one reads ${VERSION}`;
  }
  if (header.data.generation !== generation) return `it is generation ${header.data.generation} under another's name`;
  if (header.data.documents !== values.length - 1) {
    return `it ends after ${values.length - 1} of ${header.data.documents} documents`;
  }
  const documents = z.array(documentSchema).safeParse(values.slice(1));
  if (!documents.success) return 'it holds a line that is not a document';
  return { generation, seq: header.data.seq, documents: documents.data };
}

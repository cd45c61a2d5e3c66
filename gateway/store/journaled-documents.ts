import { Low } from 'lowdb';
import type { Collection, StoreHealth } from '../domain/store.ts';
import { CommitQueue } from './commit-queue.ts';
import { openDataFolder } from './data-folder.ts';
import { type Change, type DocumentStore, Documents } from './document-store.ts';
import { diskFiles, type Files } from './file-layer.ts';
import { encode, Journal } from './journal.ts';
import type { Lock } from './lock.ts';
import { makeDurable, recover, removeUnfinished, sweep } from './recovery.ts';
import { EMPTY, type Snapshot, SnapshotAdapter } from './snapshot.ts';
import { closed, type StoreNotice, unwritable } from './store-errors.ts';

export interface DocumentStoreOptions {
  /** Created where it is missing. It belongs to one process at a time. */
  readonly folder: string;
  readonly files?: Files;
  readonly onNotice?: (notice: StoreNotice) => void;
  /**
   * The journals are folded into a snapshot when they are larger than the last one, and than this many bytes; default
   * 1 MiB.
   */
  readonly compactAboveBytes?: number;
  /** Hears of every change how long it took until it was safe, in ms, or that it could not be stored. */
  readonly onStored?: (change: { readonly tookMs: number; readonly ok: boolean }) => void;
  /** How often a disk that failed is tried again while nobody has anything to store, in ms; default 2 s. */
  readonly probeMs?: number;
}

/** Short journals, one from each start, are folded too when they become many. */
const MOST_JOURNALS = 8;

/**
 * Opens the documents of a folder; see README.md for its files and why no crash loses what was acknowledged.
 * @throws StoreError `damaged`, `unwritable` or `locked`
 */
export async function openDocumentStore(options: DocumentStoreOptions): Promise<DocumentStore> {
  const { folder, files = diskFiles, onNotice = () => {}, onStored = () => {} } = options;
  const lock = await openDataFolder(files, folder, onNotice);
  try {
    const snapshots = new SnapshotAdapter(files, folder);
    const low = new Low<Snapshot>(snapshots, EMPTY);
    await low.read();
    const recovered = await recover(files, folder, low.data, onNotice);
    await makeDurable(files, folder, recovered);
    await removeUnfinished(files, folder);
    await sweep(files, folder);
    const documents = new Documents();
    for (const change of low.data.documents) documents.apply(change);
    for (const change of recovered.changes) documents.apply(change);
    const opened = new JournaledDocuments({
      files,
      folder,
      onNotice,
      onStored,
      compactAboveBytes: options.compactAboveBytes ?? 1024 * 1024,
      probeMs: options.probeMs ?? 2_000,
      lock,
      snapshots,
      low,
      documents,
      position: recovered,
    });
    if (lock.fullDisk) opened.failed(unwritable(folder, lock.fullDisk).message);
    return opened;
  } catch (error) {
    await lock.release();
    throw unwritable(folder, error);
  }
}

interface Parts extends Required<DocumentStoreOptions> {
  readonly lock: Lock;
  readonly snapshots: SnapshotAdapter;
  readonly low: Low<Snapshot>;
  readonly documents: Documents;
  readonly position: {
    readonly seq: number;
    readonly nextGeneration: number;
    readonly journals: number;
    readonly bytes: number;
  };
}

interface Entry {
  readonly change: Change;
  readonly text: string;
}

/** Two changes that undo each other, as large as a usual record: once they can be stored, others can. */
const PROBE: readonly Entry[] = [{ padding: ' '.repeat(4_096) }, null].map((value) => {
  const change = { collection: 'probes', key: 'probe', value };
  return { change, text: encode(change) };
});

class JournaledDocuments implements DocumentStore {
  readonly #parts: Parts;
  readonly #queue: CommitQueue<Entry>;
  /** null until the first change, and after a failure: then the next change begins a new one. */
  #journal: Journal | null = null;
  #nextGeneration: number;
  #seq: number;
  /** What the journals have grown by since a snapshot was last attempted. */
  #growth: { journals: number; bytes: number };
  #compaction: Promise<void> | null = null;
  /** Why nothing can be stored, and since when; null while all is well. */
  #failure: { readonly reason: string; readonly since: number } | null = null;
  #probe: NodeJS.Timeout | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#queue = new CommitQueue((entries) => this.#commit(entries));
    this.#nextGeneration = parts.position.nextGeneration;
    this.#seq = parts.position.seq;
    this.#growth = { journals: parts.position.journals, bytes: parts.position.bytes };
  }

  collection<T extends object>(name: string, check: (value: unknown) => T): Collection<T> {
    return this.#parts.documents.view(name, check, async (changes) => {
      if (this.#closing !== null) throw closed();
      const began = performance.now();
      const stored = (ok: boolean) => this.#parts.onStored({ tookMs: performance.now() - began, ok });
      await this.#queue.push(changes.map((change) => ({ change, text: encode(change) }))).catch((error: unknown) => {
        stored(false);
        throw error;
      });
      stored(true);
    });
  }

  health(): StoreHealth {
    if (!this.#failure) return { writable: true };
    const { reason, since } = this.#failure;
    return { writable: false, reason, forMs: performance.now() - since };
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    if (this.#probe) clearTimeout(this.#probe);
    await this.#queue.idle();
    await this.#compaction;
    await this.#journal?.close();
    await this.#parts.lock.release();
  }

  async #commit(entries: readonly Entry[]): Promise<void> {
    const { folder, documents } = this.#parts;
    try {
      const journal = await this.#openJournal();
      const before = journal.bytes;
      this.#seq = await journal.append(entries.map((entry) => entry.text));
      this.#growth.bytes += journal.bytes - before;
    } catch (error) {
      await this.#giveUp();
      const refusal = unwritable(folder, error);
      this.failed(refusal.message);
      throw refusal;
    }
    for (const { change } of entries) documents.apply(change);
    if (this.#failure) this.#recovered();
  }

  /** From now on nothing can be stored, until something has been. @param reason in one sentence, for the owner */
  failed(reason: string): void {
    if (!this.#failure) this.#parts.onNotice({ type: 'unwritable', message: reason });
    this.#failure = { reason, since: this.#failure?.since ?? performance.now() };
    if (this.#closing !== null) return;
    // Nobody may have anything to store for hours, and health is to be told all the same.
    this.#probe ??= setTimeout(() => {
      this.#probe = null;
      this.#queue.push(PROBE).catch(() => {});
    }, this.#parts.probeMs).unref();
  }

  async #giveUp(): Promise<void> {
    const journal = this.#journal;
    this.#journal = null;
    await journal?.giveUp();
    // One that holds nothing acknowledged is replaced, lest a full disk fill with empty journals.
    if (journal?.after !== this.#seq) return;
    this.#nextGeneration = journal.generation;
    this.#growth.journals -= 1;
  }

  #recovered(): void {
    const { folder, onNotice } = this.#parts;
    this.#failure = null;
    onNotice({ type: 'writable', message: `The data folder ${folder} can be written again.` });
    // A disk that failed may have lost older pages as well: the next change writes out anew what is in memory.
    this.#growth.bytes = Number.POSITIVE_INFINITY;
  }

  /** The journal to append to. A new one is begun where there is none, and where its records are due for a snapshot. */
  async #openJournal(): Promise<Journal> {
    const { files, folder, documents } = this.#parts;
    const due = this.#compaction === null && this.#hasGrown();
    if (this.#journal && !due) return this.#journal;
    // From here on the old journal is not appended to, even if the new one fails: it may have got its name already.
    const old = this.#journal;
    this.#journal = null;
    await old?.close();
    const journal = await Journal.begin(files, folder, this.#nextGeneration, this.#seq);
    this.#journal = journal;
    this.#nextGeneration += 1;
    this.#growth.journals += 1;
    this.#growth.bytes += journal.bytes;
    if (due) {
      const state = { generation: journal.generation, seq: this.#seq, documents: documents.all() };
      this.#growth = { journals: 1, bytes: journal.bytes };
      this.#compaction = this.#compact(state).finally(() => {
        this.#compaction = null;
      });
    }
    return journal;
  }

  #hasGrown(): boolean {
    const { snapshots, compactAboveBytes } = this.#parts;
    return this.#growth.bytes > Math.max(compactAboveBytes, snapshots.bytes) || this.#growth.journals > MOST_JOURNALS;
  }

  /** Runs beside the commits, which go on in the journal that follows this state. */
  async #compact(state: Snapshot): Promise<void> {
    const { files, folder, low, onNotice } = this.#parts;
    try {
      low.data = state;
      await low.write();
      await sweep(files, folder);
    } catch (error) {
      onNotice({
        type: 'compaction_failed',
        message: `No snapshot could be written, and the journal grows until one can. ${unwritable(folder, error).message}`,
      });
    } finally {
      // Replaced records would be held in memory for as long as the state is.
      low.data = { ...state, documents: [] };
    }
  }
}

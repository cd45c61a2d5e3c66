import { basename, dirname, join } from 'node:path';
import type { Files, OpenFile } from '../../gateway/store/file-layer.ts';

/** One operation on the disk, as a fault sees it. */
export interface DiskOperation {
  readonly kind: keyof Files | 'write' | 'datasync' | 'truncate';
  /** Name of the file; for a rename the old one. */
  readonly name: string;
}

interface Inode {
  /** It is no file, but a name with this text. */
  readonly text?: string;
  content: Buffer;
  /** What a power cut leaves for certain. */
  synced: Buffer;
}

type Names = Map<string, Inode>;

/** Number from 0 up to, but not including, 1. */
export type Chance = () => number;

/**
 * A disk in memory with one folder and what lies in its `history`, and with the failings of real ones: operations can be made to fail, to end the
 * process, and a power cut loses what was not synced, wholly or in part.
 */
export class MemoryDisk implements Files {
  readonly #names: Names = new Map();
  /** The names as they were synced, and after every change since: a power cut leaves one of these. */
  #history: Names[] = [new Map()];
  /** Counts up with every operation. */
  operations = 0;
  /** Called before every operation; what it throws is the operation's error. A write that fails leaves half its text. */
  fault: (operation: DiskOperation) => void = () => {};
  /** The process is killed in this operation, counted from 1: it and all later ones fail. A write gets half its text out. */
  killAt = Number.POSITIVE_INFINITY;

  /** The names in the folder, and what they hold. */
  files(): ReadonlyMap<string, Buffer> {
    return new Map(Array.from(this.#names, ([name, inode]) => [name, inode.content]));
  }

  /** Another disk with these files, all of it synced. */
  static of(files: ReadonlyMap<string, Buffer>): MemoryDisk {
    const disk = new MemoryDisk();
    for (const [name, content] of files) disk.#names.set(name, { content, synced: content });
    disk.#history = [new Map(disk.#names)];
    return disk;
  }

  /** The disk as the next process finds it after SIGKILL: all that was written is there, synced or not. */
  afterKill(): MemoryDisk {
    const disk = new MemoryDisk();
    // Handles of the killed process write to inodes of their own.
    const twins = new Map<Inode, Inode>();
    const twin = (inode: Inode) => {
      const known = twins.get(inode) ?? { ...inode };
      twins.set(inode, known);
      return known;
    };
    const copy = (names: Names) => new Map(Array.from(names, ([name, inode]) => [name, twin(inode)]));
    for (const [name, inode] of copy(this.#names)) disk.#names.set(name, inode);
    disk.#history = this.#history.map(copy);
    disk.#names.delete('lock');
    return disk;
  }

  /** The disk after a power cut, in one of the ways in which it can have gone. */
  afterPowerCut(chance: Chance): MemoryDisk {
    const names = this.#history[Math.floor(chance() * this.#history.length)] ?? new Map();
    const files = new Map<string, Buffer>();
    for (const [name, inode] of names) files.set(name, remains(inode, chance));
    files.delete('lock');
    return MemoryDisk.of(files);
  }

  async makeFolder(path: string): Promise<void> {
    this.#operate('makeFolder', path);
  }

  async list(folder: string): Promise<readonly string[]> {
    this.#operate('list', folder);
    const names = [...this.#names.keys()];
    if (basename(folder) !== 'history') return names.filter((name) => !name.includes('/'));
    const inside = names.filter((name) => name.startsWith('history/')).map((name) => basename(name));
    if (inside.length === 0) throw diskError('ENOENT');
    return inside;
  }

  async read(path: string): Promise<Buffer> {
    this.#operate('read', path);
    return this.#inode(path).content;
  }

  async size(path: string): Promise<number> {
    this.#operate('size', path);
    return this.#inode(path).content.length;
  }

  async append(path: string): Promise<OpenFile> {
    const name = nameOf(path);
    if (!this.#names.has(name)) return this.create(path);
    this.#operate('append', path);
    return this.#open(name, this.#inode(path));
  }

  async create(path: string): Promise<OpenFile> {
    this.#operate('create', path);
    const name = nameOf(path);
    const inode = { content: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.#rename((names) => names.set(name, inode));
    return this.#open(name, inode);
  }

  async reopen(path: string): Promise<OpenFile> {
    this.#operate('reopen', path);
    return this.#open(nameOf(path), this.#inode(path));
  }

  async rename(from: string, to: string): Promise<void> {
    this.#operate('rename', from);
    const inode = this.#inode(from);
    this.#rename((names) => {
      names.delete(nameOf(from));
      names.set(nameOf(to), inode);
    });
  }

  async link(from: string, to: string): Promise<void> {
    this.#operate('link', from);
    if (this.#names.has(nameOf(to))) throw diskError('EEXIST');
    const inode = this.#inode(from);
    this.#rename((names) => names.set(nameOf(to), inode));
  }

  async symlink(text: string, path: string): Promise<void> {
    this.#operate('symlink', path);
    const inode = { text, content: Buffer.alloc(0), synced: Buffer.alloc(0) };
    this.#rename((names) => names.set(nameOf(path), inode));
  }

  async readlink(path: string): Promise<string> {
    this.#operate('readlink', path);
    const { text } = this.#inode(path);
    if (text === undefined) throw diskError('EINVAL');
    return text;
  }

  async unlink(path: string): Promise<void> {
    this.#operate('unlink', path);
    this.#inode(path);
    this.#rename((names) => names.delete(nameOf(path)));
  }

  async syncFolder(folder: string): Promise<void> {
    this.#operate('syncFolder', folder);
    const isInside = (name: string) => name.startsWith('history/') === (basename(folder) === 'history');
    const synced = [...this.#names].filter(([name]) => isInside(name));
    const others = (names: Names) => [...names].filter(([name]) => !isInside(name));
    const futures = this.#history.map((names) => new Map([...others(names), ...synced]));
    // Where nothing lies in the other folder, all of them are the same.
    this.#history = this.#history.some((names) => others(names).length > 0) ? futures : [new Map(synced)];
  }

  #open(name: string, inode: Inode): OpenFile {
    return {
      write: async (data) => {
        const bytes = Buffer.from(data);
        try {
          this.#operate('write', name);
        } catch (error) {
          const isDead = this.operations > this.killAt;
          if (!isDead) inode.content = Buffer.concat([inode.content, bytes.subarray(0, bytes.length / 2)]);
          throw error;
        }
        inode.content = Buffer.concat([inode.content, bytes]);
      },
      datasync: async () => {
        this.#operate('datasync', name);
        inode.synced = inode.content;
      },
      truncate: async (size) => {
        this.#operate('truncate', name);
        inode.content = inode.content.subarray(0, size);
      },
      close: async () => {},
    };
  }

  #rename(change: (names: Names) => void): void {
    change(this.#names);
    this.#history.push(new Map(this.#names));
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(nameOf(path));
    if (!inode) throw diskError('ENOENT');
    return inode;
  }

  #operate(kind: DiskOperation['kind'], path: string): void {
    this.operations += 1;
    if (this.operations >= this.killAt) throw diskError('killed');
    this.fault({ kind, name: nameOf(path) });
  }
}

/** The name in the disk's folder: `journal-000001.jsonl`, `history/2026-11-30.jsonl`. */
function nameOf(path: string): string {
  return basename(dirname(path)) === 'history' ? join('history', basename(path)) : basename(path);
}

/** What was synced, and of what was appended since: a part, of which the end may have no content yet. */
function remains({ content, synced }: Inode, chance: Chance): Buffer {
  if (content.length <= synced.length) return chance() < 0.5 ? synced : content;
  const appended = content.subarray(synced.length);
  const length = Math.floor(chance() * (appended.length + 1));
  const filled = Math.floor(chance() * (length + 1));
  return Buffer.concat([synced, appended.subarray(0, filled), Buffer.alloc(length - filled)]);
}

/** What the system answers to a file operation that it refuses. */
export function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk refuses`), { code });
}

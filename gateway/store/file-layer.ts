import { link, mkdir, open, readdir, readFile, readlink, rename, stat, symlink, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file being written, from its beginning onwards. */
export interface OpenFile {
  /** Appends all of it. After a rejection any part of it may be in the file. */
  write(data: string): Promise<void>;
  /** Resolves once what was written would survive a power cut. */
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The few file operations on which durability rests. A port, so that tests can put a disk here that is full, fails, or
 * loses what was not synced.
 */
export interface Files {
  /** Creates the folder, for this user only, and those above it; an existing one is left as it is. */
  makeFolder(path: string): Promise<void>;
  /** The names in a folder. */
  list(folder: string): Promise<readonly string[]>;
  read(path: string): Promise<Buffer>;
  /** In bytes. */
  size(path: string): Promise<number>;
  /** An empty file that only this user may read; one that is there is emptied. */
  create(path: string): Promise<OpenFile>;
  /** A file to be added to, which only this user may read; made where it is missing. */
  append(path: string): Promise<OpenFile>;
  /** An existing file, to be synced. */
  reopen(path: string): Promise<OpenFile>;
  /** Gives a file another name; one that has that name is replaced. */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; rejects with EEXIST where the name is taken. */
  link(from: string, to: string): Promise<void>;
  /** Makes a name that stands for a text, and is no file: it needs no space on the disk. */
  symlink(text: string, path: string): Promise<void>;
  /** The text of such a name; rejects with EINVAL where it is a file. */
  readlink(path: string): Promise<string>;
  unlink(path: string): Promise<void>;
  /** Makes creations, renames and removals in a folder durable. */
  syncFolder(folder: string): Promise<void>;
}

/** The real disk. */
export const diskFiles: Files = {
  async makeFolder(path) {
    const highest = await mkdir(path, { recursive: true, mode: 0o700 });
    if (highest === undefined) return;
    // Every new folder is an entry in the one above it, and lasts only once that one is synced.
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      await this.syncFolder(parent);
      if (parent.length < highest.length) return;
    }
  },
  list: (folder) => readdir(folder),
  read: (path) => readFile(path),
  size: async (path) => (await stat(path)).size,
  create: (path) => openFile(path, 'w'),
  append: (path) => openFile(path, 'a'),
  reopen: (path) => openFile(path, 'r+'),
  rename,
  link,
  symlink: (text, path) => symlink(text, path),
  readlink: (path) => readlink(path),
  unlink,
  async syncFolder(folder) {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

async function openFile(path: string, flags: 'w' | 'a' | 'r+'): Promise<OpenFile> {
  const handle = await open(path, flags, 0o600);
  return {
    // Unlike write(), writeFile() goes on until every byte is out.
    write: (data) => handle.writeFile(data),
    datasync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

/** The system's code of a failed file operation (`ENOSPC`), or an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { messageOf } from '../domain/errors.ts';
import { StoreError } from '../domain/store.ts';
import { codeOf, diskFiles } from './file-layer.ts';
import { FIRST, frame, unframe } from './framed-lines.ts';
import { UNFINISHED } from './generations.ts';
import { damaged, unwritable } from './store-errors.ts';

const FORMAT = 'readback-backup';
const VERSION = 1;

const headerSchema = z.object({ format: z.literal(FORMAT), version: z.number(), made: z.string() });
const endSchema = z.object({ end: z.object({ lines: z.int() }) });

/** Compressed text that is put together before it is handed on, in characters. */
const CHUNK = 128 * 1024;

/**
 * Writes a backup: gzipped lines that prove themselves, a header first, and last the number of lines. It has its name
 * once it is whole and on disk; only this user may read it.
 * @param made when, in ISO 8601
 * @throws StoreError `unwritable`
 */
export async function writeBackup(path: string, made: string, parts: AsyncIterable<object>): Promise<void> {
  const unfinished = path + UNFINISHED;
  const file = createWriteStream(unfinished, { mode: 0o600, flush: true });
  try {
    await pipeline(linesOf(made, parts), createGzip(), file);
    await rename(unfinished, path);
    await diskFiles.syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw codeOf(error) === '' ? error : unwritable(dirname(path), error);
  }
}

async function* linesOf(made: string, parts: AsyncIterable<object>): AsyncGenerator<string> {
  let line = frame(JSON.stringify({ format: FORMAT, version: VERSION, made }).slice(1, -1), FIRST);
  let chunk = line.text;
  let lines = 0;
  for await (const part of parts) {
    line = frame(JSON.stringify(part).slice(1, -1), line.crc);
    lines += 1;
    chunk += line.text;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk + frame(JSON.stringify({ end: { lines } }).slice(1, -1), line.crc).text;
}

/**
 * The parts of a backup, as they were given to `writeBackup`.
 * @throws StoreError `damaged` where it is not the whole of what was written, at the latest with the last part
 */
export async function* readBackup(path: string): AsyncGenerator<unknown> {
  const refuse = (what: string) => damaged(path, what, 'Nothing was restored: take another backup.');
  let seed = FIRST;
  let lines = -1;
  let isWhole = false;
  try {
    for await (const bytes of unzippedLines(path)) {
      const found = isWhole ? null : unframe(bytes, seed);
      if (!found) throw refuse(`line ${lines + 2} is not one that was written there`);
      seed = found.crc;
      if (lines < 0) requireHeader(found.value, refuse);
      else if (endSchema.safeParse(found.value).data?.end.lines === lines) isWhole = true;
      else yield found.value;
      lines += 1;
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = codeOf(error);
    if (code === 'ENOENT') throw new StoreError('damaged', `There is no backup ${path}.`);
    throw refuse(code.startsWith('Z_') ? 'it is no gzip file, or not the whole of one' : messageOf(error));
  }
  if (!isWhole) throw refuse(lines < 0 ? 'it is empty' : 'its end is missing');
}

function requireHeader(value: unknown, refuse: (what: string) => Error): void {
  const header = headerSchema.safeParse(value).data;
  if (!header) throw refuse('it is no backup of a gateway');
  if (header.version !== VERSION) {
    throw refuse(`it has format ${header.version} of another version, and this one reads ${VERSION}`);
  }
}

async function* unzippedLines(path: string): AsyncGenerator<Buffer> {
  const unzipped = createReadStream(path)
    .on('error', (error) => unzipped.destroy(error))
    .pipe(createGunzip());
  let rest = Buffer.alloc(0);
  for await (const chunk of unzipped) {
    let content = Buffer.concat([rest, chunk]);
    for (let end = content.indexOf('\n'); end >= 0; end = content.indexOf('\n')) {
      yield content.subarray(0, end);
      content = content.subarray(end + 1);
    }
    rest = content;
  }
  if (rest.length > 0) yield rest;
}

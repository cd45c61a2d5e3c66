/**
 * Loaded into the gateway's process before it with `node --import`: kills it at the points that the environment names,
 * as a power cut would. It wraps Node's own file and socket functions, and what passes through them is recognised by
 * file name and by content.
 */
import { writeSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { basename } from 'node:path';
import { type CrashPoint, lastWords, readTraps, TRAPS_VARIABLE } from './crash-points.ts';

const STDERR = 2;

/** How a command begins on the wire: a request to a device over HTTP, a topic to be published over MQTT. */
const COMMAND =
  /^POST \/control\/|\/set\/occupied_heating_setpoint|reading lamp\/set|\/temp\/set|\/target_temperature\/command/;

/** What only the answer to a call that has just become a task holds. */
const NEW_TASK = /"resultType":\s*"task"/;

const left = readTraps(process.env[TRAPS_VARIABLE] ?? '');

/** Whether this passing is the last one. */
function isDue(point: CrashPoint): boolean {
  const passings = left.get(point);
  if (passings === undefined) return false;
  left.set(point, passings - 1);
  return passings === 1;
}

function die(point: CrashPoint): void {
  writeSync(STDERR, lastWords(point));
  process.kill(process.pid, 'SIGKILL');
}

function pass(point: CrashPoint): void {
  if (isDue(point)) die(point);
}

function watchFiles(): void {
  const { open, rename, unlink } = files;
  files.open = async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    const name = basename(String(path));
    // A new journal is written under another name until its header is on disk: that is `journal_unnamed`.
    if (name.startsWith('journal-') && flags === 'w') watchJournal(handle);
    if (name.startsWith('snapshot-') && flags === 'w') {
      const write = handle.writeFile.bind(handle);
      handle.writeFile = async (data, options) => {
        if (isDue('snapshot_half_written')) dieHalfway('snapshot_half_written', handle, data);
        await write(data, options);
      };
    }
    return handle;
  };
  files.rename = async (from, to) => {
    const name = basename(String(to));
    if (name.startsWith('journal-')) pass('journal_unnamed');
    if (name.startsWith('snapshot-')) pass('snapshot_unnamed');
    await rename(from, to);
    if (name.startsWith('journal-')) pass('journal_named');
    if (name.startsWith('snapshot-')) pass('snapshot_named');
  };
  files.unlink = async (path) => {
    await unlink(path);
    if (/^journal-\d+\.jsonl$/.test(basename(String(path)))) pass('snapshot_swept');
  };
  syncBuiltinESMExports();
}

function watchJournal(handle: FileHandle): void {
  const write = handle.writeFile.bind(handle);
  const sync = handle.datasync.bind(handle);
  let isHeader = true;
  handle.writeFile = async (data, options) => {
    if (!isHeader) {
      pass('journal_unwritten');
      if (isDue('journal_half_written')) dieHalfway('journal_half_written', handle, data);
    }
    await write(data, options);
    if (!isHeader) pass('journal_unsynced');
  };
  handle.datasync = async () => {
    await sync();
    if (!isHeader) pass('journal_synced');
    isHeader = false;
  };
}

function dieHalfway(point: CrashPoint, { fd }: FileHandle, data: unknown): void {
  const bytes = Buffer.from(String(data));
  writeSync(fd, bytes.subarray(0, bytes.length >> 1));
  die(point);
}

function watchSockets(): void {
  const { write, push } = Socket.prototype;
  const commanding = new WeakSet<Socket>();

  function watchedWrite(this: Socket, ...args: unknown[]): boolean {
    const [data] = args;
    const text = typeof data === 'string' ? data : Buffer.from(data as Uint8Array).toString('latin1');
    const isCommand = COMMAND.test(text);
    const isReply = !isCommand && NEW_TASK.test(text);
    if (isCommand) pass('command_unsent');
    if (isReply) pass('reply_unsent');
    const flows: boolean = Reflect.apply(write, this, args);
    if (isCommand) commanding.add(this);
    // By then what is written in this turn of the event loop has been handed to the system.
    if (isCommand && isDue('command_sent')) setImmediate(die, 'command_sent');
    if (isReply && isDue('reply_sent')) setImmediate(die, 'reply_sent');
    return flows;
  }

  Socket.prototype.write = watchedWrite;
  Socket.prototype.push = function (this: Socket, chunk: unknown, encoding?: BufferEncoding) {
    if (chunk !== null && commanding.delete(this)) pass('command_answered');
    return push.call(this, chunk, encoding);
  };
}

watchFiles();
watchSockets();

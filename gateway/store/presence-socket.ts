import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** The namespace of pids that a machine begins with (PROC_PID_INIT_INO of the kernel); containers have others. */
const OUTERMOST = 'pid:[4026531836]';

/** A socket in a folder at which a process can be met for as long as it runs. */
export interface PresenceSocket {
  /** The file's name. */
  readonly name: string;
  close(): Promise<void>;
}

/**
 * Lets a process in a container be met from outside it, where its pid says nothing. null where it is in none, or where
 * there can be no socket: the disk is full, or the folder's name too long for one.
 * @param space the namespace of the process, as `/proc/self/ns/pid` has it
 */
export async function openPresence(folder: string, space: string | null): Promise<PresenceSocket | null> {
  if (space === null || space === OUTERMOST) return null;
  const name = `lock-${randomUUID()}.sock`;
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(join(folder, name));
    await once(server, 'listening');
  } catch {
    return null;
  }
  server.unref();
  return { name, close: () => closed(server) };
}

/** Whether somebody can be met there. What was left behind by a process that is gone refuses. */
export async function isPresent(folder: string, name: string): Promise<boolean> {
  const socket = connect(join(folder, name));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

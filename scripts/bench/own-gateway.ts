import { join } from 'node:path';
import { pino } from 'pino';
import type { HomeConfig } from '../../gateway/config/schema.ts';
import { type Gateway, startGateway } from '../../gateway/main.ts';

/** Starts a gateway in this process, as the daemon starts it: for what has to be timed on one and the same clock. */
export function startOwnGateway(home: HomeConfig, folder: string, name: string): Promise<Gateway> {
  const log = pino({ level: 'warn' }, pino.destination(2));
  return startGateway({ home, dataFolder: join(folder, name), host: '127.0.0.1', port: 0, logOf: () => log });
}

import { type ClientEvent, TaskClient } from '../../client/task-client.ts';
import { nameOf, type Wish } from '../../client/wish.ts';
import { version } from '../../version.ts';
import type { DaemonOptions } from '../find-daemon.ts';
import { type ClientFolder, defaultClientFolder, openClientFolder } from './folder.ts';
import { locateServer, serverName } from './server-name.ts';

/** How the commands of the client are told what they work with. */
export interface ClientOptions extends DaemonOptions {
  /** Where wishes are kept. */
  readonly clientData?: string;
}

/** What one command works with. */
export interface ClientSession {
  readonly client: TaskClient;
  readonly folder: ClientFolder;
  /** The server that is meant, as its wishes name it. */
  readonly server: string;
  close(): Promise<void>;
}

/** How this program names itself to servers. */
export const CLIENT_INFO = { name: 'readback', version: version() };

/** Wishes that are told one by one; of more, their number is told. */
const TOLD = 5;

/**
 * Opens what the commands of the client work with, and says on standard error what was found that an earlier one left.
 * @throws StoreError where wishes cannot be kept; StartError and ConfigError where the server is not well named
 */
export async function openClientSession(options: ClientOptions): Promise<ClientSession> {
  const server = await serverName(options);
  const folder = await openClientFolder(options.clientData ?? defaultClientFolder(process.env), notice);
  tellFound(folder.found);
  const client = new TaskClient({
    wishes: folder.wishes,
    locate: (name) => locateServer(name, options.token),
    mustWait: (wish) => folder.mustWait(wish),
    info: CLIENT_INFO,
  });
  client.subscribe((event: ClientEvent) => {
    if (event.type === 'notice') notice(event.message);
  });
  return {
    client,
    folder,
    server,
    async close() {
      await client.close();
      await folder.close();
    },
  };
}

/** Tells the person; standard output is for what the command is about. */
export function notice(message: string): void {
  console.error(`readback: ${message}`);
}

function tellFound(found: readonly Wish[]): void {
  if (found.length === 0) return;
  notice(
    `found ${found.length} ${found.length === 1 ? 'wish' : 'wishes'} of an earlier command that did not see the end:`,
  );
  for (const wish of found.slice(0, TOLD)) console.error(`  ${nameOf(wish.target)}: ${standingOf(wish)}`);
  if (found.length > TOLD) console.error(`  … and ${found.length - TOLD} more`);
}

/** How a wish that has not ended stands, as its record tells it. */
export function standingOf({ stage, keyed, task }: Wish): string {
  switch (stage) {
    case 'wished':
      return 'not delivered yet';
    case 'calling':
      return keyed ? 'sent perhaps, and no answer kept: its server is asked' : 'sent perhaps, and no answer kept';
    case 'following':
      return `under way as task ${task?.taskId ?? ''}`;
    case 'ended':
      return 'ended';
  }
}

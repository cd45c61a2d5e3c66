import * as z from 'zod';
import { loadConfig } from '../config/load.ts';
import { StartError, UserError } from '../domain/errors.ts';
import { SCOPES, type Scope } from '../domain/principal.ts';
import { Tokens } from '../http/tokens.ts';
import { openDataFolder } from '../store/data-folder.ts';
import { diskFiles } from '../store/file-layer.ts';
import { TokenFile } from '../store/token-file.ts';
import { answers, callApi } from './call-api.ts';
import { dataFolderOf } from './data-options.ts';
import { type Daemon, type DaemonOptions, findDaemon } from './find-daemon.ts';

const listSchema = z.object({
  tokens: z.array(z.object({ name: z.string(), scopes: z.array(z.enum(SCOPES)), from: z.string() })),
});
const addedSchema = z.object({ token: z.string(), first: z.boolean() });
const revokedSchema = z.object({ open: z.boolean() });

/** The tokens of one gateway, whether it runs or not. */
interface TokenDesk {
  list(): Promise<z.output<typeof listSchema>['tokens']>;
  /** `first`: until now nobody had to show one. */
  add(name: string, scopes: readonly Scope[]): Promise<z.output<typeof addedSchema>>;
  /** `open`: from now on nobody has to show one. */
  revoke(name: string): Promise<z.output<typeof revokedSchema>>;
}

/**
 * `readback token add`: makes a token, which is shown this one time.
 * @throws StartError where the name is taken or cannot be one, or the gateway refuses
 */
export async function addToken(options: DaemonOptions, name: string, scopes: readonly Scope[]): Promise<string> {
  const { token, first } = await atDesk(options, (desk) => desk.add(name, scopes));
  return [
    `Token of ${name} (${scopes.join(', ')}), shown this once:`,
    '',
    `  ${token}`,
    '',
    'A client sends it as the header `Authorization: Bearer TOKEN`; on the page one signs in with it.',
    ...(first
      ? [
          '',
          'It is the first one: from now on every client has to show a token, also on this machine. The command line does',
          'so by itself, and so does `readback stdio`.',
        ]
      : []),
  ].join('\n');
}

/** `readback token list`: names, scopes, and where each is from. */
export async function listTokens(options: DaemonOptions): Promise<string> {
  const tokens = await atDesk(options, (desk) => desk.list());
  if (tokens.length === 0) return 'There are no tokens: whoever reaches the gateway on this machine may do everything.';
  const widest = Math.max(...tokens.map(({ name }) => name.length));
  const lines = tokens.map(({ name, scopes, from }) => `  ${name.padEnd(widest)}  ${scopes.join(', ')}  (${from})`);
  return lines.join('\n');
}

/**
 * `readback token revoke`: makes a token worthless at once.
 * @throws StartError where there is none of this name, or it may not go
 */
export async function revokeToken(options: DaemonOptions, name: string): Promise<string> {
  const { open } = await atDesk(options, (desk) => desk.revoke(name));
  const done = `The token of ${name} opens nothing any more.`;
  if (!open) return done;
  return `${done}\nIt was the last one: from now on whoever reaches the gateway on this machine may do everything.`;
}

/** By the gateway where it runs, so that it counts at once; else in its data folder. */
async function atDesk<T>(options: DaemonOptions, act: (desk: TokenDesk) => Promise<T>): Promise<T> {
  try {
    const daemon = options.url === undefined ? await runningDaemon(options) : await findDaemon(options);
    return await (daemon ? act(deskOf(daemon)) : actOnFolder(options, act));
  } catch (error) {
    if (error instanceof UserError) throw new StartError(error.message, 1, { cause: error });
    throw error;
  }
}

async function runningDaemon(options: DaemonOptions): Promise<Daemon | undefined> {
  const daemon = await findDaemon(options).catch((error: unknown) => {
    // Only that none runs is no reason to stop here: a configuration with mistakes is.
    if (error instanceof StartError && error.exitCode === 1) return undefined;
    throw error;
  });
  return daemon && (await answers(daemon)) ? daemon : undefined;
}

function deskOf(daemon: Daemon): TokenDesk {
  return {
    list: async () => listSchema.parse(await callApi(daemon, { path: '/tokens' })).tokens,
    add: async (name, scopes) =>
      addedSchema.parse(await callApi(daemon, { method: 'POST', path: '/tokens', body: { name, scopes } })),
    revoke: async (name) => {
      const path = `/tokens/${encodeURIComponent(name)}`;
      return revokedSchema.parse(await callApi(daemon, { method: 'DELETE', path }));
    },
  };
}

/** Works on the file while no gateway can: the folder is locked, as a gateway locks it. */
async function actOnFolder<T>(options: DaemonOptions, act: (desk: TokenDesk) => Promise<T>): Promise<T> {
  const folder = await dataFolderOf(options);
  const configured = options.config === undefined ? [] : (await loadConfig(options.config, process.env)).tokens;
  const lock = await openDataFolder(diskFiles, folder, () => {});
  try {
    const file = new TokenFile(diskFiles, folder);
    const tokens = new Tokens({ configured, added: await file.read(), keep: (records) => file.write(records) });
    return await act({
      list: async () => [...tokens.list()].map((each) => ({ ...each, scopes: [...each.scopes] })),
      add: async (name, scopes) => {
        const first = !tokens.needed;
        return { token: await tokens.add(name, scopes), first };
      },
      revoke: async (name) => {
        await tokens.revoke(name);
        return { open: !tokens.needed };
      },
    });
  } finally {
    await lock.release();
  }
}

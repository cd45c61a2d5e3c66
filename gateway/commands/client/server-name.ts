import { NoServer } from '../../client/failure.ts';
import type { Endpoint } from '../../client/gateway-link.ts';
import { readDaemonFile } from '../daemon-file.ts';
import { dataFolderOf } from '../data-options.ts';
import type { DaemonOptions } from '../find-daemon.ts';

/** How the gateway of a data folder is named in a wish: it may be started again elsewhere. */
const BY_FOLDER = 'data:';

/** The name of the server that is meant, under which it can be found later, by another command too. */
export async function serverName(options: DaemonOptions): Promise<string> {
  return options.url === undefined ? `${BY_FOLDER}${await dataFolderOf(options)}` : mcpUrl(options.url);
}

/**
 * Where a server is now.
 * @param token what was given to be shown; it is not kept, and goes before that of a data folder
 * @throws NoServer where no gateway runs on the data folder
 */
export async function locateServer(name: string, token: string | undefined): Promise<Endpoint> {
  const given = token === undefined ? {} : { token };
  if (!name.startsWith(BY_FOLDER)) return { url: name, ...given };
  const folder = name.slice(BY_FOLDER.length);
  const address = await readDaemonFile(folder);
  if (!address) throw new NoServer(`no gateway runs on ${folder}`);
  return {
    url: mcpUrl(address.url),
    ...(address.token !== undefined && { token: address.token }),
    ...(address.cert !== undefined && { cert: address.cert }),
    ...given,
  };
}

/** An address without a path is that of a gateway, which serves MCP under a path of its own. */
function mcpUrl(url: string): string {
  const parsed = new URL(url);
  if (parsed.pathname === '/') parsed.pathname = '/mcp';
  return parsed.href;
}

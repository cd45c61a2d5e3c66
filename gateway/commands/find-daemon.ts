import { StartError } from '../domain/errors.ts';
import { readDaemonFile } from './daemon-file.ts';
import { type DataOptions, dataFolderOf } from './data-options.ts';

/** A gateway that runs, and the token that opens it, where it asks for one. */
export interface Daemon {
  /** Where it listens, as `http://127.0.0.1:8730`. */
  readonly url: string;
  readonly token?: string;
  /** Its certificate as PEM, where it serves by HTTPS. */
  readonly cert?: string;
}

/** Which running gateway is meant, as the command line says it. */
export interface DaemonOptions extends DataOptions {
  readonly url?: string;
  readonly token?: string;
}

/**
 * The gateway that is meant: the one at `url`, or the one that runs on the data folder. The token of the data folder is
 * its owner's; another that is given goes before it.
 * @throws StartError where none runs there
 */
export async function findDaemon(options: DaemonOptions): Promise<Daemon> {
  const { url, token } = options;
  const given = token === undefined ? {} : { token };
  if (url !== undefined) return { url: new URL(url).origin, ...given };
  const folder = await dataFolderOf(options);
  const address = await readDaemonFile(folder);
  if (!address) throw new StartError(`no gateway runs on ${folder}: start one, or name another with --url or --data`);
  return {
    url: address.url,
    ...(address.token !== undefined && { token: address.token }),
    ...(address.cert !== undefined && { cert: address.cert }),
    ...given,
  };
}

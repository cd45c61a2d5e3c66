import { dirname, resolve } from 'node:path';
import { loadConfig } from '../config/load.ts';
import { StartError } from '../domain/errors.ts';
import { readDaemonFile } from './daemon-file.ts';

/** A gateway that runs, and the token that opens it, where it asks for one. */
export interface Daemon {
  /** Where it listens, as `http://127.0.0.1:8730`. */
  readonly url: string;
  readonly token?: string;
}

/** Which running gateway is meant, as the command line says it. */
export interface DaemonOptions {
  readonly url?: string;
  readonly config?: string;
  readonly data?: string;
  readonly token?: string;
}

/**
 * The gateway that is meant: the one at `url`, or the one that runs on the data folder. The token of the data folder is
 * its owner's; another that is given goes before it.
 * @throws StartError where none runs there
 */
export async function findDaemon(options: DaemonOptions): Promise<Daemon> {
  const { url, config, data, token } = options;
  const given = token === undefined ? {} : { token };
  if (url !== undefined) return { url: new URL(url).origin, ...given };
  const home = config === undefined || data !== undefined ? null : await loadConfig(config, process.env);
  const folder = resolve(data ?? home?.data ?? defaultData(config));
  const address = await readDaemonFile(folder);
  if (!address) throw new StartError(`no gateway runs on ${folder}: start one, or name another with --url or --data`);
  return { url: address.url, ...(address.token !== undefined && { token: address.token }), ...given };
}

/** Tasks lie beside the configuration that they belong to. */
export function defaultData(config: string | undefined): string {
  return config === undefined ? 'data/demo' : `${dirname(config)}/data`;
}

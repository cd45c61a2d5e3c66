import { dirname, resolve } from 'node:path';
import { loadConfig } from '../config/load.ts';

/** Which data folder is meant, as the command line says it. */
export interface DataOptions {
  readonly config?: string;
  readonly data?: string;
}

/**
 * The data folder that is meant: the one that is named, or that of the configuration.
 * @throws ConfigError where the configuration has mistakes
 */
export async function dataFolderOf({ config, data }: DataOptions): Promise<string> {
  const home = config === undefined || data !== undefined ? null : await loadConfig(config, process.env);
  return resolve(data ?? home?.data ?? defaultData(config));
}

/** Tasks lie beside the configuration that they belong to. */
export function defaultData(config: string | undefined): string {
  return config === undefined ? 'data/demo' : `${dirname(config)}/data`;
}

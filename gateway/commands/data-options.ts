import { dirname, resolve } from 'node:path';

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
  if (config === undefined || data !== undefined) return resolve(data ?? defaultData(config));
  // Loaded late: most commands know the folder without it.
  const { loadConfig } = await import('../config/load.ts');
  return resolve((await loadConfig(config, process.env)).data ?? defaultData(config));
}

/** Tasks lie beside the configuration that they belong to. */
export function defaultData(config: string | undefined): string {
  return config === undefined ? 'data/demo' : `${dirname(config)}/data`;
}

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The absolute path of a file or folder of the `config` folder that the gateway ships: `demo.yaml`, `profiles`.
 * Found from the package's root, because the built files lie one folder deeper than their sources.
 */
export function shippedPath(name: string): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'config', name);
}

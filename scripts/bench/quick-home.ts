import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const home = (approval: string) => `
# What is measured is how fast the gateway is, not how soon it says that it was too much.
server: { limits: { requests_per_second: 1000000 } }
devices:
  ac:
    kind: climate
    http: { base: !env_var READBACK_SIMULATOR }
    requests:
      status: { get: /sensors/ac }
      apply: { post: /control/ac, json: { temperature: "{{ want.target_temperature }}" } }
    fields:
      target_temperature:
        { write: apply, read: { request: status, path: temperature }, min: 16, max: 30, step: 1, unit: C, approval: ${approval} }
    verify: { poll: [10ms], echo: 0s, settle: 0s, deadline: 5s, watch: 0s }
`;

/**
 * Writes a home of one device that is read back at once, so that the commands of a measurement do not pile up.
 * @param approval whether a person has to agree to them first
 * @returns the file
 */
export async function writeQuickHome(folder: string, approval: 'always' | 'never' = 'never'): Promise<string> {
  const path = join(folder, 'home.yaml');
  await writeFile(path, home(approval));
  return path;
}

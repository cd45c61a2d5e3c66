import { opennessFlaw } from './config/schema-server.ts';
import { StartError } from './domain/errors.ts';
import { isLoopback } from './domain/loopback.ts';
import type { TokenRecord } from './domain/principal.ts';
import { Tokens, tokensFlaw } from './http/tokens.ts';
import { diskFiles } from './store/file-layer.ts';
import { TokenFile } from './store/token-file.ts';

/**
 * The tokens of a gateway that is about to listen at `host`: those of its configuration, and those that were added in its
 * data folder.
 * @throws StartError where they contradict each other, or there are none and other machines could come in
 * @throws StoreError where the added ones cannot be read
 */
export async function openTokens(
  configured: readonly TokenRecord[],
  { dataFolder, host }: { readonly dataFolder: string; readonly host: string },
): Promise<Tokens> {
  const file = new TokenFile(diskFiles, dataFolder);
  const added = await file.read();
  const flaw = tokensFlaw(configured, added) ?? opennessFlaw(host, configured.length + added.length);
  if (flaw !== undefined) throw new StartError(flaw, 2);
  return new Tokens({ configured, added, keep: (records) => file.write(records), exposed: !isLoopback(host) });
}

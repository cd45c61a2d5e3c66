import { join } from 'node:path';
import { z } from 'zod';
import { SCOPES, type TokenRecord } from '../domain/principal.ts';
import { codeOf, type Files } from './file-layer.ts';
import { UNFINISHED } from './generations.ts';
import { damaged, unwritable } from './store-errors.ts';

const fileSchema = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: z.string().min(1),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      scopes: z.array(z.enum(SCOPES)).min(1),
    }),
  ),
});

/** The tokens that were added at run time, as hashes, in a file of the data folder that only its own user can read. */
export class TokenFile {
  readonly #files: Files;
  readonly #folder: string;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  get path(): string {
    return join(this.#folder, 'tokens.json');
  }

  /**
   * What was kept last; nothing where nothing ever was.
   * @throws StoreError `damaged`: a file that cannot be read must not let everybody in
   */
  async read(): Promise<readonly TokenRecord[]> {
    try {
      return fileSchema.parse(JSON.parse((await this.#files.read(this.path)).toString())).tokens;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      if (codeOf(error) !== '') throw unwritable(this.#folder, error);
      const next = 'Move it away and add the tokens again: readback token add NAME.';
      throw damaged(this.path, 'it does not hold tokens as they are written', next);
    }
  }

  /**
   * Replaces what was kept, wholly or not at all. Resolves once it would survive a power cut.
   * @throws StoreError `unwritable`
   */
  async write(tokens: readonly TokenRecord[]): Promise<void> {
    const unfinished = this.path + UNFINISHED;
    try {
      const file = await this.#files.create(unfinished);
      try {
        await file.write(`${JSON.stringify({ tokens }, null, 2)}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
      await this.#files.rename(unfinished, this.path);
      await this.#files.syncFolder(this.#folder);
    } catch (error) {
      throw unwritable(this.#folder, error);
    }
  }
}

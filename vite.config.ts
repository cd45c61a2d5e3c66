import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, 'dist', 'page');

/** Files that hardly become smaller, in bytes. */
const SMALL = 1_000;

/** The page, as the gateway serves it: see gateway/dashboard/page-files.ts. */
export default defineConfig({
  root: 'gateway/dashboard/page',
  build: {
    outDir: OUT,
    emptyOutDir: true,
    // What is written into a stylesheet or a script as data would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [packed()],
});

/** Puts a packed twin beside every file that is worth it: a Pi need not pack the same again for every visit. */
function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    async closeBundle() {
      const names = await readdir(OUT, { recursive: true });
      for (const name of names.filter((each) => /\.(css|html|js|svg)$/.test(each))) {
        const file = await readFile(join(OUT, name));
        if (file.length < SMALL) continue;
        const zipped = await promisify(gzip)(file, { level: constants.Z_BEST_COMPRESSION });
        await writeFile(join(OUT, `${name}.gz`), zipped);
      }
    },
  };
}

import { existsSync, readdirSync } from 'node:fs';
import { extname, sep } from 'node:path';
import express, { type RequestHandler, type Response, Router } from 'express';

/** A file whose name carries a digest of what is in it never changes, in s. */
const YEAR_S = 365 * 24 * 3_600;

/** Where the build puts files with such names. */
const HASHED = `${sep}assets${sep}`;

const NOT_BUILT = 'The page has not been built; run "npm run build" where the gateway was installed.';

/**
 * The page as it was built into a folder: its files and nothing else, packed where the browser can unpack. Until it is
 * built, `/` says how that is done.
 */
export function pageFiles(folder: string): Router {
  const router = Router();
  router.use(preferPacked(folder), express.static(folder, { setHeaders: setCaching, redirect: false }));
  router.get('/', (_req, res) => {
    res.status(503).format({
      html: () => res.send(`<!doctype html><html lang="en"><title>Readback</title><p>${NOT_BUILT}</p></html>`),
      json: () => res.json({ ok: false, error: 'not_built', message: NOT_BUILT }),
    });
  });
  return router;
}

/** Gives the packed twin of a file, which the build has put beside it. */
function preferPacked(folder: string): RequestHandler {
  const packed = new Set(packedFiles(folder));
  return (req, res, next) => {
    const path = req.path === '/' ? '/index.html' : req.path;
    if (!packed.has(path) || (req.method !== 'GET' && req.method !== 'HEAD')) return next();
    res.vary('Accept-Encoding');
    if (req.acceptsEncodings('gzip', 'identity') === 'gzip') {
      req.url = `${path}.gz`;
      res.set('Content-Encoding', 'gzip').type(extname(path));
    }
    next();
  };
}

/** The files that have one, as a browser asks for them. */
function packedFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.gz')).map((name) => `/${name.slice(0, -3).split(sep).join('/')}`);
}

function setCaching(res: Response, path: string): void {
  res.set('Cache-Control', path.includes(HASHED) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache');
}

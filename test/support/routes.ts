import { METHODS } from 'node:http';
import type { Express } from 'express';
import * as z from 'zod';

/** One thing that an application answers: `GET /api/tokens`. */
export type Route = `${string} ${string}`;

/** As much of Express's router as is looked at here; it tells its routes to nobody. */
const layerSchema = z.object({
  rawPath: z.union([z.string(), z.array(z.string())]),
  route: z.object({ methods: z.record(z.string(), z.boolean()) }).optional(),
  /** A router within the router is a function with layers of its own. */
  handle: z.unknown(),
});
const routerSchema = z.object({ stack: z.array(z.unknown()) });

/** Every route of an application, with those of the routers that are mounted in it. */
export function routesOf(app: Express): readonly Route[] {
  return [...new Set(walk(app.router, ''))].sort();
}

function walk(router: unknown, above: string): Route[] {
  return routerSchema.parse(parts(router)).stack.flatMap((each) => {
    const { rawPath, route, handle } = layerSchema.parse(each);
    const paths = [rawPath].flat().map((path) => above + (path === '/' ? '' : path));
    if (route) return paths.flatMap((path) => methodsOf(route).map((method): Route => `${method} ${path || '/'}`));
    return 'stack' in parts(handle) ? paths.flatMap((path) => walk(handle, path)) : [];
  });
}

/** What hangs on a function. */
function parts(value: unknown): object {
  return { ...Object(value) };
}

/** `ALL` where every method of HTTP is answered. */
function methodsOf({ methods }: { readonly methods: Readonly<Record<string, boolean>> }): string[] {
  const names = Object.keys(methods).map((method) => method.toUpperCase());
  return names.length >= METHODS.length ? ['ALL'] : names;
}

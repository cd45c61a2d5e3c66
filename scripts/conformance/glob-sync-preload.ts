import { register } from 'node:module';

// The suite imports `globSync` from `fs`, which Node has from 22 on; only commands that are not run here call it.
const fsWithGlob = [
  "export * from 'node:fs';",
  "export { default } from 'node:fs';",
  "export const globSync = () => { throw new Error('fs.globSync needs Node 22'); };",
].join('\n');

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier !== 'fs' || !context.parentURL?.includes('/conformance/dist/')) return next(specifier, context);
  return { url: 'data:text/javascript,' + ${JSON.stringify(encodeURIComponent(fsWithGlob))}, shortCircuit: true };
}`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);

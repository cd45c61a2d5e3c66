import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { shippedPath } from './config/shipped.ts';

/** The version in package.json. */
export function version(): string {
  const text = readFileSync(`${dirname(shippedPath(''))}/package.json`, 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}

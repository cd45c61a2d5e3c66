import { createHash } from 'node:crypto';
import type { Announcement } from './announcement.ts';

const MAX_ID = 48;

/**
 * An id for a device that announced itself, made of the words it gives. One that is taken, by the configuration or by
 * another device, gets a mark of its own behind it, which is the same at every start.
 */
export function chooseId({ names, key }: Announcement, isTaken: (id: string) => boolean): string {
  const ids = names.map(identifierOf).filter((id) => id !== '');
  const first = ids[0] ?? 'device';
  if (!isTaken(first)) return first;
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 6);
  return `${first}_${mark}`;
}

/** Small letters, digits and underscores; letters with marks lose them. */
function identifierOf(word: string): string {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_ID)
    .replace(/^_+|_+$/g, '');
}

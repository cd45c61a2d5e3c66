import { type Plain, plain } from '../plain.ts';
import { DEVICE_KEYS, ENTITY_KEYS, ORIGIN_KEYS } from './abbreviations.ts';

/** An entity in long keys, with `~` filled in. */
export interface Expanded {
  readonly entity: Plain;
  /** Long key → the key as it was written, for mistakes. */
  readonly written: ReadonlyMap<string, string>;
}

/** Keys for which `null` says something: this cover cannot be stopped. Elsewhere null counts as absent. */
const NULLABLE = /^payload_/;

/** Writes an entity's keys in full, in its availability, `device` and `origin` too, and fills in `~`. */
export function expandEntity(written: Plain): Expanded {
  const base = typeof written['~'] === 'string' ? written['~'] : '';
  const entity: [string, unknown][] = [];
  const names = new Map<string, string>();
  for (const [key, value] of Object.entries(written)) {
    const long = longKey(key, ENTITY_KEYS);
    if (key === '~' || (value === null && !NULLABLE.test(long))) continue;
    names.set(long, key);
    entity.push([long, expandValue(long, value, base)]);
  }
  return { entity: Object.fromEntries(entity), written: names };
}

function expandValue(key: string, value: unknown, base: string): unknown {
  switch (key) {
    case 'device':
      return withLongKeys(plain(value), DEVICE_KEYS);
    case 'origin':
      return withLongKeys(plain(value), ORIGIN_KEYS);
    case 'availability': {
      const entries = Array.isArray(value) ? value : [value];
      return entries.map((entry) => {
        const long = withLongKeys(plain(entry), ENTITY_KEYS);
        return { ...long, ...(long['topic'] !== undefined && { topic: fill(long['topic'], base) }) };
      });
    }
    default:
      return key.endsWith('topic') ? fill(value, base) : value;
  }
}

function withLongKeys(written: Plain, table: Readonly<Record<string, string>>): Plain {
  return Object.fromEntries(Object.entries(written).map(([key, value]) => [longKey(key, table), value]));
}

/** The long form of a key; one that has none is as it is, whatever JavaScript calls by that name. */
export function longKey(key: string, table: Readonly<Record<string, string>>): string {
  return Object.hasOwn(table, key) ? (table[key] ?? key) : key;
}

/** `~` stands for the base topic only as the first or the last character. */
function fill(topic: unknown, base: string): unknown {
  if (typeof topic !== 'string') return topic;
  const start = topic.startsWith('~') ? base + topic.slice(1) : topic;
  return start.endsWith('~') ? start.slice(0, -1) + base : start;
}

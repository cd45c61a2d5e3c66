import { isDeepStrictEqual } from 'node:util';
import type { HomeConfig } from './schema.ts';

/** What is otherwise in a configuration that was read again. */
export interface ConfigChanges {
  /** Ids. */
  readonly devices: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** Keys whose new values can be taken over at once, as `tasks.ttl`. */
  readonly settings: readonly string[];
  /** Keys whose new values count from the next start, as `server.port`. */
  readonly later: readonly string[];
}

/** What a running gateway takes over; the rest decides where it listens, what it connects to and where it keeps things. */
const LIVE = ['tokens', 'tasks', 'approvals', 'log'] as const;
const FIXED = ['server', 'data', 'mqtt'] as const;

/** Compares two configurations; names only, for what they stand for may be secret. */
export function changesBetween(before: HomeConfig, after: HomeConfig): ConfigChanges {
  const had = Object.keys(before.devices);
  const has = Object.keys(after.devices);
  const stayed = has.filter((id) => had.includes(id));
  return {
    devices: {
      added: has.filter((id) => !had.includes(id)),
      changed: stayed.filter((id) => !isDeepStrictEqual(before.devices[id], after.devices[id])),
      removed: had.filter((id) => !has.includes(id)),
    },
    settings: LIVE.flatMap((key) => differing(key, before[key], after[key])),
    later: FIXED.flatMap((key) => differing(key, before[key], after[key])),
  };
}

/** The keys below which two values differ: one level down where both are maps. */
function differing(key: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [key];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.filter((each) => !isDeepStrictEqual(before[each], after[each])).map((each) => `${key}.${each}`);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

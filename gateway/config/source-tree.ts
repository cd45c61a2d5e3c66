import type { Position } from './problems.ts';

/**
 * A configuration whose every value remembers where it was written, so that parts from several files can be merged and
 * a mistake in the result can still be shown in its own file and line.
 */
export type SourceNode = SourceScalar | SourceList | SourceMap;

export interface SourceScalar {
  readonly type: 'scalar';
  readonly at: Position;
  readonly value: string | number | boolean | null;
}

export interface SourceList {
  readonly type: 'list';
  readonly at: Position;
  readonly items: readonly SourceNode[];
}

export interface SourceMap {
  readonly type: 'map';
  readonly at: Position;
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

export interface SourceEntry {
  /** Where the key is written. */
  readonly keyAt: Position;
  readonly node: SourceNode;
}

/** The path of a value: keys and list indexes from the top. */
export type Path = readonly PropertyKey[];

/** The tree as plain data. */
export function toPlain(node: SourceNode): unknown {
  switch (node.type) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toPlain);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toPlain(entry.node)]));
  }
}

/** Plain data as a tree; every position names only `file`. Anything that JSON cannot say counts as null. */
export function fromPlain(value: unknown, file: string): SourceNode {
  return plainAt(value, { file });
}

/** Plain data as a tree that stands at one place: where the words are from which it was made. */
export function plainAt(value: unknown, at: Position): SourceNode {
  if (Array.isArray(value)) return { type: 'list', at, items: value.map((item) => plainAt(item, at)) };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    const nodes = entries.map(([key, item]) => [key, { keyAt: at, node: plainAt(item, at) }] as const);
    return { type: 'map', at, entries: new Map(nodes) };
  }
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return { type: 'scalar', at, value: isScalar ? value : null };
}

/** `over` laid over `base`: maps are merged key by key, everything else is replaced. */
export function merge(base: SourceNode, over: SourceNode): SourceNode {
  if (base.type !== 'map' || over.type !== 'map') return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = base.entries.get(key);
    entries.set(key, below ? { keyAt: entry.keyAt, node: merge(below.node, entry.node) } : entry);
  }
  return { type: 'map', at: over.at, entries };
}

/** A map without some of its keys. */
export function without(map: SourceMap, keys: readonly string[]): SourceMap {
  return { ...map, entries: new Map([...map.entries].filter(([key]) => !keys.includes(key))) };
}

/**
 * Where the value of a path is written: a scalar by itself, a map or list by its key. For a path that leads nowhere
 * (a key that is missing), the nearest thing above it that is written.
 */
export function locate(root: SourceNode, path: Path): Position {
  let node = root;
  let at = root.at;
  for (const step of path) {
    const entry: SourceEntry | undefined = node.type === 'map' ? node.entries.get(String(step)) : undefined;
    const next: SourceNode | undefined = entry?.node ?? (node.type === 'list' ? node.items[Number(step)] : undefined);
    if (next === undefined) return at;
    at = entry && next.type !== 'scalar' ? entry.keyAt : next.at;
    node = next;
  }
  return at;
}

/** Where a key itself is written. */
export function locateKey(root: SourceNode, path: Path, key: string): Position {
  let node: SourceNode | undefined = root;
  for (const step of path) {
    if (node?.type === 'map') node = node.entries.get(String(step))?.node;
    else if (node?.type === 'list') node = node.items[Number(step)];
    else node = undefined;
  }
  return (node?.type === 'map' ? node.entries.get(key)?.keyAt : undefined) ?? locate(root, path);
}

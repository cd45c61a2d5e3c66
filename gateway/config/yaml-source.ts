import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml';
import type { Position, Problem } from './problems.ts';
import type { SourceEntry, SourceNode } from './source-tree.ts';

/** More values than any home has, but few enough that a file of nested aliases cannot fill the memory. */
const MOST_VALUES = 100_000;

/** What a tagged text stands for, or why it stands for nothing. */
export type TagResult = { readonly value: string } | { readonly message: string };

/** Gives the text that stands behind `!tag text`; undefined for a tag that it does not know. */
export type ReadTag = (tag: string, text: string) => TagResult | undefined;

/**
 * Reads one YAML document into a tree with positions.
 * @param file the name that positions carry
 * @returns the tree, or null for an empty file or one that is not YAML; and everything that is wrong with the text
 */
export function readYaml(
  text: string,
  file: string,
  readTag: ReadTag,
): { root: SourceNode | null; problems: Problem[] } {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const documents = Array.isArray(parsed) ? parsed : [];
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const problems = documents
    .flatMap((document) => document.errors)
    .map((error): Problem => {
      const message = error.code === 'TAB_AS_INDENT' ? 'YAML is indented with spaces, not with tabs' : error.message;
      return { ...position(error.pos[0]), path: '', message };
    });
  const [document, second] = documents;
  if (second) {
    problems.push({
      ...position(second.range[0]),
      path: '',
      message: 'one file holds one document: remove the --- line',
    });
  }
  if (problems.length > 0 || !document?.contents) return { root: null, problems };
  const reader = new TreeReader(document, position, readTag);
  const root = reader.read(document.contents, []);
  return { root: reader.full ? null : root, problems: reader.problems };
}

class TreeReader {
  readonly problems: Problem[] = [];
  readonly #document: Document.Parsed;
  readonly #position: (offset: number) => Position;
  readonly #readTag: ReadTag;
  /** Anchored nodes that are being read, so that one inside itself is noticed. */
  readonly #open = new Set<Node>();
  #count = 0;

  constructor(document: Document.Parsed, position: (offset: number) => Position, readTag: ReadTag) {
    this.#document = document;
    this.#position = position;
    this.#readTag = readTag;
  }

  /** Whether the document holds more than can be read; what was read of it is then worth nothing. */
  get full(): boolean {
    return this.#count >= MOST_VALUES;
  }

  read(node: ParsedNode, path: readonly string[]): SourceNode {
    const at = this.#position(node.range[0]);
    const nothing: SourceNode = { type: 'scalar', at, value: null };
    this.#count += 1;
    if (this.#count === MOST_VALUES) {
      this.#fail(at, [], `more than ${MOST_VALUES} values once every alias (*) is followed: use fewer aliases`);
    }
    if (this.full) return nothing;
    if (isAlias(node)) return this.#follow(node.resolve(this.#document), node.source, at, path) ?? nothing;
    if (node.tag?.startsWith('!')) return this.#tagged(node, node.tag, at, path) ?? nothing;
    if (isMap(node)) return { type: 'map', at, entries: this.#entries(node, path) };
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.read(item as ParsedNode, [...path, String(index)]));
      return { type: 'list', at, items };
    }
    return { type: 'scalar', at, value: scalarValue(node) };
  }

  #entries(map: YAMLMap.Parsed, path: readonly string[]): Map<string, SourceEntry> {
    const entries = new Map<string, SourceEntry>();
    for (const pair of map.items) {
      const keyAt = this.#position(pair.key.range[0]);
      const key = isScalar(pair.key) ? String(keyText(pair.key)) : undefined;
      const first = key === undefined ? undefined : entries.get(key);
      if (key === undefined || key === '__proto__') this.#fail(keyAt, path, 'a key must be a plain word');
      else if (first) this.#fail(keyAt, [...path, key], `is written twice; the first is in line ${first.keyAt.line}`);
      else {
        const empty: SourceNode = { type: 'scalar', at: keyAt, value: null };
        entries.set(key, { keyAt, node: pair.value ? this.read(pair.value, [...path, key]) : empty });
      }
    }
    return entries;
  }

  #follow(target: Node | undefined, name: string, at: Position, path: readonly string[]): SourceNode | undefined {
    if (!target) this.#fail(at, path, `there is no anchor &${name} above`);
    else if (this.#open.has(target)) this.#fail(at, path, `the alias *${name} stands inside its own anchor`);
    else {
      this.#open.add(target);
      const node = this.read(target as ParsedNode, path);
      this.#open.delete(target);
      return node;
    }
    return undefined;
  }

  #tagged(node: ParsedNode, tag: string, at: Position, path: readonly string[]): SourceNode | undefined {
    const result = isScalar(node) ? this.#readTag(tag, String(node.value).trim()) : undefined;
    if (result && 'value' in result) return { type: 'scalar', at, value: result.value };
    this.#fail(
      at,
      path,
      result?.message ?? `there is no tag ${tag} here; the tags are !env_var and !secret, with a name`,
    );
    return undefined;
  }

  #fail(at: Position, path: readonly string[], message: string): void {
    this.problems.push({ ...at, path: path.join('.'), message });
  }
}

/** The key as it is written: 0300 and true are names here, not a number and a truth. */
function keyText(key: { value: unknown; source?: string }): unknown {
  return typeof key.value === 'string' ? key.value : (key.source ?? key.value);
}

function scalarValue(node: ParsedNode): string | number | boolean | null {
  if (!isScalar(node)) return null;
  const { value, source } = node;
  // A device's word such as 0300 would lose its zero as a number.
  if (typeof value === 'number' && source !== undefined && /^[-+]?0\d/.test(source)) return source;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : String(value);
}

import type * as z from 'zod';
import { type Problem, problemAt } from './problems.ts';
import { locate, locateKey, type Path, type SourceNode } from './source-tree.ts';

/** A mistake by its place in the data; `key` for one that lies in a key and not in its value. */
export interface Flaw {
  readonly path: Path;
  readonly key?: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** What a schema found, one flaw for each mistake. */
export function flawsOf(issues: readonly Issue[], above: Path = []): Flaw[] {
  return issues.flatMap((issue): Flaw[] => {
    const path = [...above, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const lines = issue.message.split('\n');
      return issue.keys.map((key, index) => ({ path, key, message: lines[index] ?? issue.message }));
    }
    if (issue.code === 'invalid_key') {
      const key = String(path.at(-1));
      return [{ path: path.slice(0, -1), key, message: `"${key}": ${issue.issues[0]?.message ?? issue.message}` }];
    }
    if (issue.code === 'invalid_union') {
      const branch = meantBranch(issue.errors);
      if (branch) return flawsOf(branch, path);
    }
    return [{ path, message: plainWords(issue.message) }];
  });
}

/**
 * The alternative that was meant: one whose type fits at the top and that found fault only further in, the fewest
 * first. Undefined where none fits: then the union's own message says what is allowed.
 */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const wrongType = (issue: Issue) =>
    issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
  const fitting = branches.filter((issues) => issues.length > 0 && !issues.some(wrongType));
  return fitting.toSorted((a, b) => a.length - b.length)[0];
}

function plainWords(message: string): string {
  if (message.endsWith('received undefined')) return 'is missing';
  return message
    .replace(/^Invalid (input|option): /, '')
    .replace('expected string', 'expected a text')
    .replace('expected record', 'expected a map')
    .replace('expected object', 'expected a map')
    .replace('expected array', 'expected a list')
    .replace(/received (object|record)/, 'received a map')
    .replace('expected number', 'expected a number')
    .replace('received array', 'received a list')
    .replace('received string', 'received a text')
    .replace('received null', 'received nothing')
    .replace('one of "', 'one of: "')
    .replaceAll('|', ', ');
}

/** Puts flaws where they are written. */
export function problemsOf(root: SourceNode, flaws: readonly Flaw[]): Problem[] {
  return flaws.map(({ path, key, message }) =>
    problemAt(key === undefined ? locate(root, path) : locateKey(root, path, key), path, message),
  );
}

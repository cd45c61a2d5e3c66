import { isAbsolute, relative } from 'node:path';
import { StartError } from '../domain/errors.ts';

/** Where something is written; without a line where it came from a program and not from a file. */
export interface Position {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

/** One mistake in a configuration. */
export interface Problem extends Position {
  /** Keys from the top of the configuration: `devices.living_room_ac.fields.power.write`; empty for the whole file. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

/** A problem at a place, for the keys that lead there. */
export function problemAt(at: Position, path: readonly PropertyKey[], message: string): Problem {
  return { ...at, path: path.map(String).join('.'), message };
}

/** A file as problems name it: from the working folder where it lies inside, in full elsewhere. */
export function displayName(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

/** The configuration cannot be used; `problems` lists everything that was found, in the order of the file. */
export class ConfigError extends StartError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemLine).join('\n'), 2);
    this.problems = problems;
  }
}

/** A problem as one line: `config.yaml:12:5 devices.fan.kind: expected …`. */
export function problemLine({ file, line, column, path, message }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return path === '' ? `${place} ${message}` : `${place} ${path}: ${message}`;
}

/** The order in which a person reads them: the configuration itself first, then the files it takes in, each by line. */
export function inReadingOrder(problems: readonly Problem[], mainFile: string): Problem[] {
  const rank = (problem: Problem) => (problem.file === mainFile ? 0 : 1);
  return problems.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      a.file.localeCompare(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}

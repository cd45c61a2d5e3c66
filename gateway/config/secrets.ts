import { readFileSync } from 'node:fs';
import { messageOf } from '../domain/errors.ts';
import { isSecretName } from '../domain/mask.ts';
import type { Problem } from './problems.ts';
import type { SourceMap } from './source-tree.ts';
import { readYaml, type TagResult } from './yaml-source.ts';

/**
 * Serves `!env_var NAME [default]` and `!secret name`, which are Home Assistant's words, and remembers what it served,
 * so that secrets can be kept out of messages and logs.
 */
export class Secrets {
  /** What is wrong with the file of secrets itself. */
  readonly problems: Problem[] = [];
  readonly #file: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #served = new Set<string>();
  #contents: SourceMap | string | undefined;

  /** @param file path of `secrets.yaml`; it is read when the first secret is asked for */
  constructor(file: string, env: NodeJS.ProcessEnv) {
    this.#file = file;
    this.#env = env;
  }

  /** Every value so far that came out of the file of secrets, or out of a variable with a name for secrets. */
  get served(): readonly string[] {
    return [...this.#served];
  }

  /** The file of secrets, where anything was read from it. */
  get readFrom(): string | undefined {
    return this.#contents === undefined ? undefined : this.#file;
  }

  /** The text behind a tag, why there is none, or undefined for a tag that is not one of these two. */
  readonly readTag = (tag: string, text: string): TagResult | undefined => {
    if (text === '') return undefined;
    if (tag === '!secret') return this.#secret(text);
    if (tag === '!env_var') return this.#variable(text);
    return undefined;
  };

  #variable(text: string): TagResult {
    const [, name = '', fallback] = /^(\S+)(?:\s+(.*))?$/s.exec(text) ?? [];
    const value = this.#env[name] ?? fallback;
    if (value !== undefined) {
      if (value !== '' && isSecretName(name)) this.#served.add(value);
      return { value };
    }
    return {
      message: `the environment variable ${name} is not set; set it, or write a default: !env_var ${name} value`,
    };
  }

  #secret(name: string): TagResult {
    this.#contents ??= this.#load();
    if (typeof this.#contents === 'string') return { message: `!secret ${name}: ${this.#contents}` };
    const node = this.#contents.entries.get(name)?.node;
    if (node?.type !== 'scalar' || node.value === null) return { message: `${this.#file} has no value for ${name}` };
    const value = String(node.value);
    if (value !== '') this.#served.add(value);
    return { value };
  }

  /** The file's map, or why there is none. */
  #load(): SourceMap | string {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      return missing ? `there is no file ${this.#file}` : `${this.#file} cannot be read: ${messageOf(error)}`;
    }
    const { root, problems } = readYaml(text, this.#file, () => undefined);
    this.problems.push(...problems);
    return root?.type === 'map' ? root : `${this.#file} must hold lines such as name: value`;
  }
}

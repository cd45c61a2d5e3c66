import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as z from 'zod';
import { flawsOf, problemsOf } from './flaws.ts';
import { suggest } from './nearest.ts';
import { displayName, type Position, type Problem, problemAt } from './problems.ts';
import { identifier, strict, text } from './schema-parts.ts';
import { shippedPath } from './shipped.ts';
import { type Path, type SourceEntry, type SourceNode, type SourceScalar, toPlain } from './source-tree.ts';
import { readYaml } from './yaml-source.ts';

/** A file of `config/profiles`: a device body in which `${name}` stands for a variable. */
const profileSchema = strict({
  description: text,
  variables: z.record(
    identifier,
    strict({ description: text, default: z.union([z.string(), z.number(), z.boolean()]).optional() }),
  ),
  device: z.record(z.string(), z.unknown()),
});

/** A shipped profile that was read without a problem. */
export interface Profile {
  readonly name: string;
  readonly description: string;
  readonly variables: z.output<typeof profileSchema>['variables'];
  /** The device body, as the file has it. */
  readonly device: SourceNode;
}

/** The names of all shipped profiles: `esphome/fan`. */
export function profileNames(): string[] {
  const files = readdirSync(shippedPath('profiles'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length).replaceAll(sep, '/'))
    .sort();
}

/** Reads one of `profileNames`. A mistake in it names its own file and line. */
export function readProfile(name: string): { profile: Profile } | { problems: Problem[] } {
  const path = join(shippedPath('profiles'), `${name}.yaml`);
  const file = displayName(path);
  const noTags = () => ({ message: 'a profile has variables instead of tags' });
  const { root, problems } = readYaml(readFileSync(path, 'utf8'), file, noTags);
  if (problems.length > 0) return { problems };
  if (!root) return { problems: [{ file, path: '', message: 'the profile is empty' }] };
  const checked = profileSchema.safeParse(toPlain(root));
  if (!checked.success) return { problems: problemsOf(root, flawsOf(checked.error.issues)) };
  const device = root.type === 'map' ? root.entries.get('device')?.node : undefined;
  const { description, variables } = checked.data;
  return { profile: { name, description, variables, device: device ?? root } };
}

/** What a variable stands for, and where that is written if it is written in the home's own file. */
type Value = Pick<SourceScalar, 'value'> & { readonly at?: Position };

/**
 * The body of the profile that a device uses, with its variables filled in.
 * @param use what is written behind `use:`
 * @param given what is written behind `with:`, if anything is
 * @param path the device's place in the configuration
 */
export function profileBody(
  use: SourceNode,
  given: SourceNode | undefined,
  path: Path,
): { body: SourceNode } | { problems: Problem[] } {
  const names = profileNames();
  const name = use.type === 'scalar' ? String(use.value) : '';
  if (!names.includes(name)) {
    return { problems: [problemAt(use.at, [...path, 'use'], `no such profile; ${suggest(name, names, 'profiles')}`)] };
  }
  const read = readProfile(name);
  if ('problems' in read) return read;
  const { values, problems } = variables(read.profile, use, given, path);
  if (problems.length > 0) return { problems };
  const body = fill(read.profile.device, values, problems);
  return problems.length > 0 ? { problems } : { body };
}

function variables(profile: Profile, use: SourceNode, given: SourceNode | undefined, path: Path) {
  const known = Object.keys(profile.variables);
  const values = new Map<string, Value>();
  const problems: Problem[] = [];
  if (given && given.type !== 'map') problems.push(problemAt(given.at, [...path, 'with'], 'expected a map'));
  const written = given?.type === 'map' ? given.entries : new Map<string, SourceEntry>();
  for (const [name, { keyAt, node }] of written) {
    const place = [...path, 'with', name];
    if (!known.includes(name)) problems.push(problemAt(keyAt, place, `unknown; ${suggest(name, known, 'variables')}`));
    else if (node.type !== 'scalar' || node.value === null) problems.push(problemAt(keyAt, place, 'expected a value'));
    else values.set(name, node);
  }
  for (const [name, { description, default: fallback }] of Object.entries(profile.variables)) {
    if (written.has(name)) continue;
    if (fallback !== undefined) values.set(name, { value: fallback });
    else problems.push(problemAt(use.at, [...path, 'with', name], `is missing: ${description}`));
  }
  return { values, problems };
}

/** A profile's node with every `${name}` replaced. */
function fill(node: SourceNode, values: ReadonlyMap<string, Value>, problems: Problem[]): SourceNode {
  switch (node.type) {
    case 'scalar':
      return fillText(node, values, problems);
    case 'list':
      return { ...node, items: node.items.map((item) => fill(item, values, problems)) };
    case 'map': {
      const entries = [...node.entries].map(
        ([key, entry]) => [key, { ...entry, node: fill(entry.node, values, problems) }] as const,
      );
      return { ...node, entries: new Map(entries) };
    }
  }
}

/**
 * A text that is one variable takes its value with its type. What the home's own file gave is at fault if the result
 * is wrong, so its place is kept.
 */
function fillText(node: SourceScalar, values: ReadonlyMap<string, Value>, problems: Problem[]): SourceScalar {
  if (typeof node.value !== 'string') return node;
  let at = node.at;
  const lookUp = (name: string): Value['value'] => {
    const found = values.get(name);
    if (!found) problems.push(problemAt(node.at, ['device'], `the profile has no variable ${name}`));
    at = found?.at ?? at;
    return found?.value ?? '';
  };
  const [, whole] = /^\$\{(\w+)\}$/.exec(node.value) ?? [];
  const value =
    whole === undefined ? node.value.replace(/\$\{(\w+)\}/g, (_, name: string) => String(lookUp(name))) : lookUp(whole);
  return { type: 'scalar', at, value };
}

import { type Flaw, flawsOf, problemsOf } from './flaws.ts';
import { takeOver } from './home-assistant/take-over.ts';
import { texts } from './plain.ts';
import type { Problem } from './problems.ts';
import { profileBody } from './profiles.ts';
import { referenceFlaws } from './references.ts';
import { type HomeConfig, homeConfigSchema } from './schema.ts';
import {
  merge,
  type Path,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  toPlain,
  without,
} from './source-tree.ts';

/** What came of a check: the home only if there was no problem. */
export interface Checked {
  readonly home?: HomeConfig;
  readonly problems: readonly Problem[];
}

/** What is wrong with the syntax of a template, or undefined. Given from outside: templates are the devices' business. */
export type CheckTemplate = (source: string) => string | undefined;

/** Takes in the profiles and Home Assistant's keys that a home uses and checks it whole: shapes, names, templates. */
export function checkHome(written: SourceNode, checkTemplate?: CheckTemplate): Checked {
  const profiled = withProfiles(written);
  const { root, problems: ours } = withEntities(profiled.root, checkTemplate);
  const problems = [...profiled.problems, ...ours];
  const data = toPlain(root);
  const result = homeConfigSchema.safeParse(data);
  const flaws: Flaw[] = result.success ? [] : flawsOf(result.error.issues);
  const named = [...(devicesOf(root)?.entries ?? [])];
  for (const [id, { node }] of named) {
    const device = toPlain(node);
    flaws.push(...referenceFlaws(device, ['devices', id]));
    if (checkTemplate) flaws.push(...templateFlaws(device, ['devices', id], checkTemplate));
  }
  // A device whose profile or mqtt_* key failed is not there: what follows from its absence is not said.
  const all = problems.length > 0 && named.length === 0 ? problems : [...problems, ...problemsOf(root, flaws)];
  return result.success && all.length === 0 ? { home: result.data, problems: [] } : { problems: all };
}

function templateFlaws(device: unknown, path: Path, checkTemplate: CheckTemplate): Flaw[] {
  return texts(device, path).flatMap(([where, text]) => {
    const mistake = /\{[{%#]/.test(text) ? checkTemplate(text) : undefined;
    return mistake === undefined ? [] : [{ path: where, message: `the template cannot be read: ${mistake}` }];
  });
}

function devicesOf(root: SourceNode): SourceMap | undefined {
  const devices = root.type === 'map' ? root.entries.get('devices')?.node : undefined;
  return devices?.type === 'map' ? devices : undefined;
}

/** Every device with its own keys laid over its profile. A device whose profile fails is left out. */
function withProfiles(root: SourceNode): { root: SourceNode; problems: Problem[] } {
  return mapDevices(root, (own, path) => {
    const use = own.type === 'map' ? own.entries.get('use') : undefined;
    if (own.type !== 'map' || !use) return { node: own };
    const taken = profileBody(use.node, own.entries.get('with')?.node, path);
    return 'problems' in taken ? taken : { node: merge(taken.body, without(own, ['use', 'with'])) };
  });
}

/** Every device with its `mqtt_*` key written out as fields. A device whose key has mistakes is left out. */
function withEntities(root: SourceNode, checkTemplate?: CheckTemplate): { root: SourceNode; problems: Problem[] } {
  return mapDevices(root, (own, path) => {
    if (own.type !== 'map') return { node: own };
    const taken = takeOver(own, path, checkTemplate);
    return 'flaws' in taken ? { problems: problemsOf(root, taken.flaws) } : taken;
  });
}

type Mapped = { readonly node: SourceNode } | { readonly problems: readonly Problem[] };

function mapDevices(root: SourceNode, map: (device: SourceNode, path: Path) => Mapped) {
  const problems: Problem[] = [];
  const devices = devicesOf(root);
  if (root.type !== 'map' || !devices) return { root, problems };
  const entries = new Map<string, SourceEntry>();
  for (const [id, entry] of devices.entries) {
    const mapped = map(entry.node, ['devices', id]);
    if ('problems' in mapped) problems.push(...mapped.problems);
    else entries.set(id, { ...entry, node: mapped.node });
  }
  const kept: SourceEntry = { keyAt: devices.at, node: { ...devices, entries } };
  return { root: { ...root, entries: new Map([...root.entries, ['devices', kept]]) }, problems };
}

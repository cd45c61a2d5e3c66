import { type DeviceKind, KINDS } from '../../domain/device.ts';
import type { CheckTemplate } from '../check.ts';
import { type Flaw, flawsOf } from '../flaws.ts';
import { suggest } from '../nearest.ts';
import { plain, texts } from '../plain.ts';
import {
  merge,
  type Path,
  plainAt,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  toPlain,
  without,
} from '../source-tree.ts';
import { describeEntity } from './describe.ts';
import { expandEntity } from './expand.ts';
import { ENTITY_KINDS } from './kinds.ts';

const KEYS = KINDS.map((kind) => `mqtt_${kind}`);

/**
 * Writes the `mqtt_*` key of a device out as fields; the device's own keys go over what it says.
 * @param path the device's place in the configuration
 * @returns the device as it is where it has no such key
 */
export function takeOver(
  device: SourceMap,
  path: Path,
  checkTemplate?: CheckTemplate,
): { readonly node: SourceNode } | { readonly flaws: readonly Flaw[] } {
  const described = KINDS.filter((kind) => device.entries.has(`mqtt_${kind}`));
  const [first] = described;
  if (first === undefined) return { node: device };
  const own = device.entries.get('kind')?.node;
  const kind = own?.type === 'scalar' ? KINDS.find((each) => each === own.value) : first;
  const odd = described.find((each) => each !== kind);
  if (odd !== undefined) {
    const message = `a device of kind ${kind ?? first} is described by mqtt_${kind ?? first}, not by mqtt_${odd}`;
    return { flaws: [{ path: [...path, `mqtt_${odd}`], message }] };
  }
  const entry = device.entries.get(`mqtt_${first}`);
  return entry ? fromEntity(device, first, entry, path, checkTemplate) : { node: device };
}

function fromEntity(
  device: SourceMap,
  kind: DeviceKind,
  entry: SourceEntry,
  path: Path,
  checkTemplate: CheckTemplate | undefined,
): { readonly node: SourceNode } | { readonly flaws: readonly Flaw[] } {
  const place = [...path, `mqtt_${kind}`];
  const written = toPlain(entry.node);
  if (entry.node.type !== 'map') return { flaws: [{ path: place, message: "expected Home Assistant's keys" }] };
  const { entity, written: names } = expandEntity(plain(written));
  const { schema } = ENTITY_KINDS[kind];
  const allowed = Object.keys(schema.shape);
  const unknown = Object.keys(entity).filter((key) => !allowed.includes(key));
  const parsed = schema.safeParse(entity);
  const flaws: Flaw[] = [
    ...unknown.map((key): Flaw => {
      const name = names.get(key) ?? key;
      return { path: place, key: name, message: `unknown key "${name}"; ${suggestKey(name, allowed)}` };
    }),
    ...(parsed.success ? [] : flawsOf(parsed.error.issues)).map((flaw) => ({
      ...flaw,
      path: [...place, ...flaw.path.map((step, index) => (index === 0 ? (names.get(String(step)) ?? step) : step))],
    })),
    ...templateFlaws(written, place, checkTemplate),
  ];
  if (flaws.length > 0 || !parsed.success) return { flaws };
  const body = plainAt(describeEntity(kind, parsed.data), entry.keyAt);
  return { node: merge(body, without(device, KEYS)) };
}

/** The list of all keys would be a page long: one that is near is enough. */
function suggestKey(name: string, allowed: readonly string[]): string {
  const [near] = suggest(name, allowed, 'keys').split('? ');
  return near?.startsWith('did you mean') ? `${near}?` : "Home Assistant's keys for this kind are allowed";
}

function templateFlaws(written: unknown, place: Path, checkTemplate: CheckTemplate | undefined): Flaw[] {
  return texts(written, place).flatMap(([where, text]) => {
    if (!/(_template|_tpl)$/.test(String(where.at(-1)))) return [];
    const mistake = checkTemplate?.(text);
    return mistake === undefined ? [] : [{ path: where, message: `the template cannot be read: ${mistake}` }];
  });
}

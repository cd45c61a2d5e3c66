import { type DeviceBody, describeEntity } from '../../config/home-assistant/describe.ts';
import { ENTITY_KINDS } from '../../config/home-assistant/kinds.ts';
import { parseDevice } from '../../config/load.ts';
import { type Plain, plain } from '../../config/plain.ts';
import type { DeviceKind } from '../../domain/device.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Imported } from './announcement.ts';
import { bounded, label, sizeFlaw, withinBounds } from './bounds.ts';
import { withUsableTemplates } from './import-templates.ts';
import { withOrigin } from './origins.ts';

/** Makes a device of an entity in long keys. What cannot be taken over is left out and becomes a caveat. */
export function importEntity(id: string, kind: DeviceKind, written: Plain): Imported {
  const tooLarge = sizeFlaw(written);
  if (tooLarge !== undefined) return { ok: false, reason: tooLarge };
  const { entity, caveats: excess } = withinBounds(written);
  const parsed = parseLeniently(kind, entity);
  if (!parsed.ok) return parsed;
  const { body, caveats } = withUsableTemplates(describeEntity(kind, parsed.entity));
  if (Object.keys(body.fields).length === 0) return { ok: false, reason: 'it has no topic that can be used' };
  const device = plain(entity['device']);
  const { suggested_area: suggested } = device;
  const area = typeof suggested === 'string' ? label(suggested) : '';
  try {
    const config = parseDevice(
      {
        ...withOrigin(body, entity),
        ...nameOf(body, device),
        ...(area !== '' && { area }),
      },
      id,
    );
    return {
      ok: true,
      config: { ...config, caveats: bounded([...excess, ...parsed.caveats, ...caveats, ...config.caveats]) },
    };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

type Parsed =
  | { readonly ok: true; readonly entity: unknown; readonly caveats: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Unknown keys are dropped, as Home Assistant drops them; so is a key with a value that cannot be, with a caveat. */
function parseLeniently(kind: DeviceKind, entity: Plain): Parsed {
  const { schema } = ENTITY_KINDS[kind];
  const first = schema.safeParse(entity);
  if (first.success) return { ok: true, entity: first.data, caveats: [] };
  const rest: Record<string, unknown> = { ...entity };
  const caveats: string[] = [];
  for (const { path, message } of first.error.issues) {
    const key = String(path[0]);
    if (key in rest) caveats.push(`${key} is left out: ${message}`);
    delete rest[key];
  }
  const second = schema.safeParse(rest);
  if (second.success) return { ok: true, entity: second.data, caveats };
  const missing = second.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { ok: false, reason: [...caveats, ...missing].join('; ') };
}

/** The entity's name behind its device's, unless it holds it already; an entity without one is the device. */
function nameOf(body: DeviceBody, device: Plain): { name?: string } {
  const own = label(body.name ?? '');
  const shared = typeof device['name'] === 'string' ? label(device['name']) : '';
  const isWhole = own.toLowerCase().startsWith(shared.toLowerCase());
  const name = own === '' ? shared : isWhole ? own : `${shared} ${own}`;
  return name === '' ? {} : { name: label(name) };
}

import { ENTITY_KEYS } from '../../config/home-assistant/abbreviations.ts';
import { expandEntity, longKey } from '../../config/home-assistant/expand.ts';
import { type Plain, plain } from '../../config/plain.ts';
import { type DeviceKind, KINDS } from '../../domain/device.ts';
import { messageOf } from '../../domain/errors.ts';
import { type Announcement, type DiscoveryNews, fingerprintOf } from './announcement.ts';
import { importEntity } from './import-entity.ts';

/** Components that one message may carry. */
const MAX_COMPONENTS = 64;

/** What a device message shares with its components, unless they say otherwise themselves. */
const SHARED_KEYS = [
  'availability',
  'availability_mode',
  'availability_template',
  'availability_topic',
  'command_topic',
  'device',
  'encoding',
  'origin',
  'payload_available',
  'payload_not_available',
  'qos',
  'state_topic',
];

/** `<component>/[<node>/]<object>/config`, below the prefix. */
const TOPIC = /^(\w+)\/(?:[A-Za-z0-9_-]+\/)?([A-Za-z0-9_-]+)\/config$/;

/** Whether a message there may be about something that can be commanded: most are about sensors. @param place as below */
export function mayConcern(place: string): boolean {
  const [platform = ''] = place.split('/', 1);
  return platform === 'device' || KINDS.some((kind) => kind === platform);
}

/** Reads a message of Home Assistant's discovery. @param place its topic below the prefix */
export function readDiscovery(place: string, text: string): DiscoveryNews {
  const [, platform, objectId] = TOPIC.exec(place) ?? [];
  if (platform === undefined || objectId === undefined) return { type: 'broken', detail: 'not a discovery topic' };
  if (text === '') return { type: 'gone' };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { type: 'broken', detail: `no JSON: ${messageOf(error)}` };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { type: 'broken', detail: 'no object' };
  const message = plain(json);
  if (message['migrate_discovery'] === true || message['migr_discvry'] === true) return { type: 'handed_over' };
  if (platform === 'device') return readBundle(place, objectId, message);
  const announcement = announce({ place, component: '', platform, objectId, entity: expandEntity(message).entity });
  return { type: 'announced', announcements: announcement ? [announcement] : [], withdrawn: [] };
}

/** A device message: several components, and what they share. */
function readBundle(place: string, objectId: string, message: Plain): DiscoveryNews {
  const { entity: top } = expandEntity(message);
  const components = Object.entries(plain(top['components']));
  if (components.length > MAX_COMPONENTS) {
    return { type: 'broken', detail: `it has ${components.length} components; at most ${MAX_COMPONENTS} are taken` };
  }
  if (components.length === 0) return { type: 'gone' };
  const shared = Object.fromEntries(SHARED_KEYS.flatMap((key) => (key in top ? [[key, top[key]]] : [])));
  const announcements: Announcement[] = [];
  const withdrawn: string[] = [];
  for (const [component, written] of components) {
    const keys = Object.keys(plain(written)).map((key) => longKey(key, ENTITY_KEYS));
    if (keys.every((key) => key === 'platform')) {
      withdrawn.push(component);
      continue;
    }
    const { entity: own } = expandEntity(plain(written));
    const entity = { ...withoutRivals(shared, own), ...own };
    const platform = String(own['platform']);
    const announcement = announce({ place, component, platform, objectId: `${objectId}_${component}`, entity });
    if (announcement) announcements.push(announcement);
  }
  return { type: 'announced', announcements, withdrawn };
}

/** Availability comes in two forms: a component that has one of them does not inherit the other. */
function withoutRivals(shared: Plain, own: Plain): Plain {
  if (own['availability'] === undefined && own['availability_topic'] === undefined) return shared;
  return Object.fromEntries(
    Object.entries(shared).filter(([key]) => !/^(availability|payload_(not_)?avail)/.test(key)),
  );
}

interface Found {
  readonly place: string;
  readonly component: string;
  readonly platform: string;
  readonly objectId: string;
  readonly entity: Plain;
}

/** Undefined for entities that nobody commands, and for those that their own bridge leaves switched off. */
function announce({ place, component, platform, objectId, entity }: Found): Announcement | undefined {
  const kind = KINDS.find((each): each is DeviceKind => each === platform);
  if (!kind || entity['enabled_by_default'] === false) return undefined;
  const { unique_id: unique, default_entity_id: entityId, object_id: object } = entity;
  const hasUnique = typeof unique === 'string' && unique !== '';
  const names = [typeof entityId === 'string' ? entityId.replace(/^\w+\./, '') : '', object, unique, objectId];
  const identifiers = identifiersOf(plain(entity['device']));
  const [first] = identifiers;
  return {
    key: hasUnique ? `${kind} ${unique}` : `${place} ${component}`,
    component,
    owner: first === undefined ? `message ${place}` : `device ${first}`,
    about: { objectId, origin: String(plain(entity['origin'])['name'] ?? ''), identifiers },
    names: names.filter((name): name is string => typeof name === 'string' && name !== ''),
    fingerprint: fingerprintOf([kind, entity]),
    build: (id) => importEntity(id, kind, entity),
  };
}

/** `identifiers` is a word or a list of words; `connections` a list of pairs, a kind and an address. */
function identifiersOf({ identifiers, connections }: Plain): string[] {
  const words = Array.isArray(identifiers) ? identifiers : [identifiers];
  const addresses = Array.isArray(connections)
    ? connections.map((pair) => (Array.isArray(pair) ? pair[1] : undefined))
    : [];
  return [...words, ...addresses].filter((word): word is string => typeof word === 'string' && word !== '');
}

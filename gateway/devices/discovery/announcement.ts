import { createHash } from 'node:crypto';
import type { DeviceConfig } from '../../config/schema-device.ts';

/** What became of one announced entity: a device as the configuration would have it, or why it is left out. */
export type Imported =
  | { readonly ok: true; readonly config: DeviceConfig }
  | { readonly ok: false; readonly reason: string };

/** An entity that can be commanded, as its message describes it. */
export interface Announcement {
  /** Tells entities apart whatever message they come in: by their unique id where they have one. */
  readonly key: string;
  /** The part of its message that describes it; empty where it has the message to itself. */
  readonly component: string;
  /** The thing that it belongs to, as far as its message says: several entities may be parts of one. */
  readonly owner: string;
  /** What the owner of the home may tell wanted ones by. */
  readonly about: {
    readonly objectId: string;
    /** The program that made the message; empty where it does not say. */
    readonly origin: string;
    /** Its device's identifiers and connections. */
    readonly identifiers: readonly string[];
  };
  /** Words that may become its id, best first. */
  readonly names: readonly string[];
  /** The same as long as the description is. */
  readonly fingerprint: string;
  /** Makes a device of it under this id. */
  build(id: string): Imported;
}

/** What one discovery message says. */
export type DiscoveryNews =
  | {
      readonly type: 'announced';
      readonly announcements: readonly Announcement[];
      /** Components that are withdrawn. */
      readonly withdrawn: readonly string[];
    }
  /** Everything that this topic described is gone. */
  | { readonly type: 'gone' }
  /** Another message takes over what this one described; the devices stay. */
  | { readonly type: 'handed_over' }
  | { readonly type: 'broken'; readonly detail: string };

/** Short, however long the description is: it is kept as long as its device. */
export function fingerprintOf(description: unknown): string {
  return createHash('sha256').update(JSON.stringify(description)).digest('base64');
}

import { matches, overlap } from '../../transports/mqtt-filter.ts';
import type { DeviceTopics } from '../device-topics.ts';

/** A device of the configuration, by its topics. */
export interface ConfiguredTopics extends DeviceTopics {
  readonly id: string;
}

export interface TopicRightsOptions {
  /** Topic filters under which no device is commanded: the gateway's own, and those of discovery. */
  readonly reserved: readonly string[];
  /** The devices of the configuration as they are now. */
  readonly configured: () => readonly ConfiguredTopics[];
}

/** What an announced device wants to be met through. */
export interface Claim extends DeviceTopics {
  /** The id of the device that it becomes. */
  readonly id: string;
  /** The thing that it belongs to: the entities of one thing may share topics. */
  readonly owner: string;
}

/** Where bridges are told to let others in, to restart or to rename: no device is commanded there. */
const ADMINISTRATION = /(^|\/)(bridge|_CLIENTS)\//;

/**
 * Who may be met through which topics. Whoever announces a device names its topics himself; without these rules "turn the
 * lamp on" could open a door, or make the gateway say in another device's name that it did what it was told. So what is
 * published for one thing is neither published for nor heard by another, and the configuration goes first.
 */
export class TopicRights {
  readonly #options: TopicRightsOptions;
  readonly #claims = new Map<string, Claim>();
  /** Topic → who publishes there, and who listens. */
  readonly #publishing = new Map<string, Set<Claim>>();
  readonly #hearing = new Map<string, Set<Claim>>();

  constructor(options: TopicRightsOptions) {
    this.#options = options;
  }

  /** Why a device may not be met through its topics, for a person; undefined where it may. */
  flaw(claim: Claim): string | undefined {
    const configured = this.#options.configured();
    for (const topic of claim.publishes) {
      if (this.#options.reserved.some((filter) => matches(filter, topic))) {
        return `commands to ${topic} would go to the gateway or to discovery`;
      }
      if (ADMINISTRATION.test(topic)) return `${topic} is for the administration of a bridge`;
      const owner = configured.find((device) =>
        [...device.publishes, ...device.hears].some((own) => overlap(own, topic)),
      );
      if (owner) return `${topic} belongs to ${owner.id} of the configuration`;
      const other = this.#other(claim, this.#publishing, topic) ?? this.#other(claim, this.#hearing, topic);
      if (other) return `${topic} belongs to ${other.id}, which announced itself before`;
    }
    for (const topic of claim.hears) {
      const owner = configured.find((device) => device.publishes.includes(topic));
      if (owner) return `${topic} is where ${owner.id} of the configuration is commanded`;
      const other = this.#other(claim, this.#publishing, topic);
      if (other) return `${topic} is where ${other.id} is commanded, which announced itself before`;
    }
    return undefined;
  }

  /** Gives the topics to this device, in the place of those that it had before. */
  grant(claim: Claim): void {
    this.release(claim.id);
    this.#claims.set(claim.id, claim);
    for (const topic of claim.publishes) add(this.#publishing, topic, claim);
    for (const topic of claim.hears) add(this.#hearing, topic, claim);
  }

  release(id: string): void {
    const claim = this.#claims.get(id);
    if (!claim) return;
    this.#claims.delete(id);
    for (const topic of claim.publishes) remove(this.#publishing, topic, claim);
    for (const topic of claim.hears) remove(this.#hearing, topic, claim);
  }

  /** Those that may not be met any more since the configuration has changed. @returns id → why */
  lapsed(): ReadonlyMap<string, string> {
    const lapsed = new Map<string, string>();
    for (const [id, claim] of this.#claims) {
      const flaw = this.flaw(claim);
      if (flaw !== undefined) lapsed.set(id, flaw);
    }
    return lapsed;
  }

  #other({ id, owner }: Claim, index: ReadonlyMap<string, ReadonlySet<Claim>>, topic: string): Claim | undefined {
    return [...(index.get(topic) ?? [])].find((claim) => claim.id !== id && claim.owner !== owner);
  }
}

function add(index: Map<string, Set<Claim>>, topic: string, claim: Claim): void {
  index.set(topic, (index.get(topic) ?? new Set()).add(claim));
}

function remove(index: Map<string, Set<Claim>>, topic: string, claim: Claim): void {
  const claims = index.get(topic);
  claims?.delete(claim);
  if (claims?.size === 0) index.delete(topic);
}

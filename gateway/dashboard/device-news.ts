import type { Commands } from '../actuation/commands.ts';
import { type Clock, iso } from '../domain/time.ts';
import { deviceWire } from './device-wire.ts';
import type { DeviceWire, EventWire } from './wire.ts';

/** While somebody looks, devices that only asking can tell of are asked this often, in ms. */
const LOOK_EVERY_MS = 30_000;

/** A look tells nothing new of a device that was asked this recently, in ms. */
const FRESH_MS = 20_000;

/** What pages are told of devices, whoever opened them. */
export class DeviceNews {
  readonly #commands: Commands;
  readonly #clock: Clock;
  /** When each device had last been heard of, as pages were told it; on the monotonic clock. */
  readonly #told = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(commands: Commands, clock: Clock) {
    this.#commands = commands;
    this.#clock = clock;
  }

  /** All devices as they are, for a page that opens. */
  all(): readonly DeviceWire[] {
    const now = this.#clock.now();
    return this.#ids().flatMap((id) => {
      const view = this.#commands.view(id);
      if (!view) return [];
      if (!this.#told.has(id)) this.#told.set(id, this.#heard(id));
      return [deviceWire(view, now)];
    });
  }

  /** The last page has gone: what was told is told to nobody any more. */
  forget(): void {
    this.#told.clear();
  }

  /** Words what is known of a device now, once for all pages. */
  wording(id: string): () => string {
    if (this.#commands.view(id)) this.#told.set(id, this.#heard(id));
    else this.#told.delete(id);
    let json: string | undefined;
    return () => {
      json ??= JSON.stringify(this.#event(id));
      return json;
    };
  }

  /** The devices that have said the same as before: only its age is new. */
  repeated(): readonly string[] {
    return this.#ids().filter((id) => this.#told.get(id) !== this.#heard(id));
  }

  /** Asks all devices that can be asked, unless that was done a moment ago. Resolves when they have answered. */
  async lookAgain(): Promise<void> {
    const { mono } = this.#clock.now();
    if (mono - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = mono;
    await this.#commands.look(this.#ids(), FRESH_MS);
  }

  #event(id: string): EventWire {
    const at = this.#clock.now();
    const now = iso(at);
    const view = this.#commands.view(id);
    return view ? { type: 'device', now, device: deviceWire(view, at) } : { type: 'device_gone', now, id };
  }

  #heard(id: string): number {
    const state = this.#commands.view(id)?.state;
    const times = Object.values(state?.values ?? {}).map(({ at }) => at.mono);
    return Math.max(state?.heardAt?.mono ?? Number.NEGATIVE_INFINITY, ...times);
  }

  #ids(): readonly string[] {
    return this.#commands.devices().map(({ id }) => id);
  }
}

import type { Phase } from '../domain/actuation.ts';
import type { DeviceKind } from '../domain/device.ts';
import type { Scope } from '../domain/principal.ts';
import type { Value } from '../domain/value.ts';
import type { Evidence, FieldVerdict, Reason, Verdict } from '../domain/verdict.ts';

/*
 * What the gateway and its page say to each other, as JSON. Instants are ISO 8601 by the gateway's clock; the page takes
 * ages from `now` of the same message, since the clock of a phone may be wrong. Nothing is told that the reader's scopes do
 * not allow.
 */

/** `GET /api/home`: what the page needs before anything else. */
export interface HomeWire {
  readonly name: string;
  readonly version: string;
  readonly now: string;
  /** Who looks, and what for; `can` is `read` or `approve` at least. Without `read` no devices are told. */
  readonly me: { readonly name: string; readonly can: readonly Scope[] };
  /** The simulator of the demo home can be played with: `/api/simulator`. */
  readonly simulator: boolean;
  /** Days that history has, newest first: `2026-11-30`. */
  readonly days: readonly string[];
}

/** One field of a device, as it was last known. */
export interface FieldWire {
  readonly name: string;
  readonly value: Value | null;
  /** When it was last read; null: not since the start. */
  readonly at: string | null;
  readonly writable: boolean;
  readonly options?: readonly string[];
  /** As they hold in the state that the device is in now. */
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly unit?: string;
  /** Whether it has a meaning in the present state, and where it has one in words. */
  readonly applies: boolean | null;
  readonly applies_text?: string;
  /** It may ask a person first. */
  readonly asks: boolean;
}

export interface DeviceWire {
  readonly id: string;
  readonly name: string;
  readonly area: string | null;
  readonly kind: DeviceKind;
  readonly reachable: boolean;
  /** Last sign of life. */
  readonly heard_at: string | null;
  /** What could not be taken over from its description, in words. */
  readonly caveats: readonly string[];
  readonly fields: readonly FieldWire[];
}

export interface CommandFieldWire {
  readonly name: string;
  readonly requested: Value;
  readonly sent: Value;
  readonly before: Value | null;
  readonly observed: Value | null;
  readonly evidence: Evidence | null;
  readonly verdict: FieldVerdict | null;
  readonly reason: Reason | null;
  readonly unit?: string;
  readonly step?: number;
}

/** A question to a person. */
export interface QuestionWire {
  readonly text: string;
  readonly asked_at: string;
  /** After this an answer no longer counts. */
  readonly until: string;
  readonly answer: {
    readonly approved: boolean;
    readonly by: string;
    readonly through: string;
    readonly at: string;
  } | null;
}

/** One command as the list shows it. */
export interface CommandWire {
  readonly id: string;
  readonly device: string;
  readonly device_name: string;
  readonly kind: DeviceKind;
  readonly principal: string;
  /** The reader may cancel it: it is the reader's own, or the reader is an admin. */
  readonly mine: boolean;
  readonly phase: Phase;
  readonly verdict: Verdict | null;
  readonly reason: Reason | null;
  /** How it ended; null while it is open. `cancelled` and `failed` have no verdict. */
  readonly outcome: 'verdict' | 'cancelled' | 'failed' | null;
  /** The whole in one sentence, also while it is open. */
  readonly message: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly sent_at: string | null;
  readonly ended_at: string | null;
  /** When a verdict is due at the latest; null before the send. */
  readonly deadline_at: string | null;
  /** How long it usually takes from the send, in ms; null: not known yet. */
  readonly usual_ms: number | null;
  readonly reads: number;
  readonly fields: readonly CommandFieldWire[];
  readonly question: QuestionWire | null;
  /** The value changed later, unasked: how often. */
  readonly drifts: number;
}

/** One moment of a command, in order of time. `text` says it in words; the rest is for plots and marks. */
export interface MomentWire {
  readonly at: string;
  readonly type:
    | 'created'
    | 'asked'
    | 'answered'
    | 'sent'
    | 'acknowledged'
    | 'reading'
    | 'set_aside'
    | 'offline'
    | 'restarted'
    | 'ended'
    | 'drifted';
  readonly text: string;
  readonly field?: string;
  readonly value?: Value;
  /** How many equal readings in a row this stands for, and until when they came; of `offline`, until it was back. */
  readonly count?: number;
  readonly until?: string;
}

/** `GET /api/commands/:id`; with `?day`, out of that day's history. */
export interface CommandStoryWire {
  readonly now: string;
  readonly command: CommandWire;
  readonly moments: readonly MomentWire[];
}

/**
 * `GET /api/commands?device&verdict&principal&before&limit&day`: newest first. `before`: continue after this id. `day`:
 * what was commanded on that day and has ended, whether it is still kept as a task or not. Whoever may approve is also
 * told of the questions of others, at the head of the first page.
 */
export interface CommandsWire {
  readonly now: string;
  readonly commands: readonly CommandWire[];
  /** The id to continue after; null where the end was reached. */
  readonly next: string | null;
}

/** `GET /api/devices`. */
export interface DevicesWire {
  readonly now: string;
  readonly devices: readonly DeviceWire[];
}

/** `POST /api/commands`. */
export interface WishWire {
  readonly device: string;
  readonly set: Readonly<Record<string, Value>>;
}

/** Every refusal of the API, with its status. */
export interface RefusalWire {
  readonly ok: false;
  readonly error: string;
  readonly message: string;
}

/**
 * `GET /api/events`, server-sent. It begins with `snapshot`; each message has an id, and after a break the stream goes on
 * with a new `snapshot`: the page replaces what it knows. At least every 15 s comes a `tick`, so that a page whose stream
 * stands still can say that it is stale.
 */
export type EventWire =
  | {
      readonly type: 'snapshot';
      readonly now: string;
      readonly devices: readonly DeviceWire[];
      /** Those that are open, and the newest that ended. */
      readonly commands: readonly CommandWire[];
    }
  | { readonly type: 'command'; readonly now: string; readonly command: CommandWire }
  | { readonly type: 'device'; readonly now: string; readonly device: DeviceWire }
  | { readonly type: 'device_gone'; readonly now: string; readonly id: string }
  | { readonly type: 'tick'; readonly now: string };

/** `GET /api/discovery` (scope `admin`): announced devices that are not taken in. */
export interface DiscoveryWire {
  readonly left_out: readonly {
    readonly topic: string;
    /** The part of the message; empty where the message is about one device. */
    readonly component: string;
    readonly reason: string;
  }[];
}

/** `GET /api/simulator` (demo home, scope `admin`): what the simulated devices really do. */
export interface SimulatorWire {
  readonly now: string;
  readonly faults: readonly string[];
  readonly devices: readonly SimulatedDeviceWire[];
}

export interface SimulatedDeviceWire {
  readonly id: string;
  /** The gateway's device that it is; null where none is. */
  readonly device: string | null;
  readonly name: string;
  readonly delay_ms: number;
  /** Armed faults, and whether each is for one command or until it is cleared. */
  readonly armed: readonly { readonly fault: string; readonly once: boolean }[];
  /** What it really is, in its own words, and how many commands really reached it. */
  readonly truth: Readonly<Record<string, unknown>>;
  readonly received: number;
}

/** `POST /api/simulator/:id` changes the delay, arms a fault, or clears them all. */
export type SimulatorChangeWire =
  | { readonly delay_ms: number }
  | { readonly arm: string; readonly once: boolean }
  | { readonly clear: true };

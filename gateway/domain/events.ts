import type { Actuation, Refusal } from './actuation.ts';
import type { SendReport } from './device.ts';
import type { DeviceReport } from './reading.ts';
import type { Instant } from './time.ts';
import type { Value } from './value.ts';

/** Everything that can happen to a command. Each carries its moment: the reducer has no clock. */
export type ActuationEvent =
  | { readonly type: 'approved'; readonly at: Instant; readonly by: string; readonly through: string }
  | { readonly type: 'declined'; readonly at: Instant; readonly by: string; readonly through: string }
  /**
   * Its turn has come, and the device was looked at once more: what it is before the send, whether it is out of reach,
   * and whether the plan still holds. The record of this event is the intent that must be on disk before a byte leaves.
   */
  | {
      readonly type: 'started';
      readonly at: Instant;
      readonly before: Readonly<Record<string, Value | null>>;
      readonly offline: boolean;
      readonly refusal: Refusal | null;
    }
  | { readonly type: 'send'; readonly at: Instant; readonly report: SendReport }
  /** Readings, availability and delivery reports of the command's device. */
  | { readonly type: 'device'; readonly at: Instant; readonly report: DeviceReport }
  /** A direct read got no answer. */
  | { readonly type: 'read_failed'; readonly at: Instant; readonly detail: string }
  /** Time has passed: deadlines, settle times and lifetimes are looked at. */
  | { readonly type: 'tick'; readonly at: Instant }
  /** `held`: the send that was decided has not been begun, and will not be. */
  | { readonly type: 'cancelled'; readonly at: Instant; readonly held?: boolean }
  | { readonly type: 'superseded'; readonly at: Instant; readonly by: string }
  /** The gateway is back after a stop or a crash. */
  | { readonly type: 'restarted'; readonly at: Instant; readonly boot: string }
  /** A backup that holds it as open has been put in place. */
  | { readonly type: 'restored'; readonly at: Instant; readonly boot: string }
  | { readonly type: 'failed'; readonly at: Instant; readonly message: string };

/** What the reducer asks of its shell, to be done once the new record is on disk. */
export type Effect =
  /** Send the command, reporting every step. */
  | { readonly type: 'send'; readonly wants: Readonly<Record<string, Value>> }
  /** One direct read of these fields. */
  | { readonly type: 'ask'; readonly fields: readonly string[] }
  /** Send a `tick` when the monotonic clock reads `mono`; replaces the wake-up asked for before. */
  | { readonly type: 'wake'; readonly mono: number };

/** The reducer's answer. `actuation` is the same object where nothing changed. */
export interface Step {
  readonly actuation: Actuation;
  readonly effects: readonly Effect[];
}

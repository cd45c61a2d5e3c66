import type { Instant } from './time.ts';
import type { Value } from './value.ts';
import type { Reason } from './verdict.ts';

/** Where a reading came from: the device spoke by itself, or it was asked. */
export type ReadingSource = 'report' | 'read';

/** One message or answer of a device, decoded. Only fields it speaks about are present. */
export interface Reading {
  readonly type: 'reading';
  /** When it was received. */
  readonly at: Instant;
  /** When the question was asked; equal to `at` for a report. A read begun before the send never counts. */
  readonly beganAt: Instant;
  readonly source: ReadingSource;
  /** The MQTT retain flag was set: history, neither evidence nor a sign of life. */
  readonly retained: boolean;
  /** Our words; null where the device says "no value". */
  readonly values: Readonly<Record<string, Value | null>>;
  /** Fields that are in motion by this message (`moving_when`), and those it says are at rest. */
  readonly moving: Readonly<Record<string, boolean>>;
  /** Fields for which this message shows a state in which they have no meaning (`applies_when`). */
  readonly excluded: readonly string[];
  /** Fields whose command this message acknowledges, with the value it names (`ack`): evidence 2, never 3. */
  readonly acks: Readonly<Record<string, Value>>;
}

/** The device's own word, or its bridge's, on whether it can be reached. */
export interface AvailabilityReport {
  readonly type: 'availability';
  readonly at: Instant;
  readonly online: boolean;
  readonly retained: boolean;
}

/** A bridge reported that it could not deliver a command, or that the device refused it (`errors`). */
export interface DeliveryReport {
  readonly type: 'delivery';
  readonly at: Instant;
  readonly reason: Reason;
  readonly detail: string;
}

/** A way on which the device speaks by itself came up or broke: from here on these fields are pushed, or asked for. */
export interface PushReport {
  readonly type: 'push';
  readonly at: Instant;
  readonly push: Readonly<Record<string, boolean>>;
}

/** Everything a device says, in the order in which it was received. */
export type DeviceReport = Reading | AvailabilityReport | DeliveryReport | PushReport;

/** The last thing known of a field. */
export interface KnownValue {
  readonly value: Value | null;
  readonly at: Instant;
  /** False where only a retained message or the memory of an earlier run says so. */
  readonly live: boolean;
}

/** What is known of a device at one moment. */
export interface DeviceState {
  readonly values: Readonly<Record<string, KnownValue>>;
  /** null: nobody has said. */
  readonly online: boolean | null;
  readonly onlineAt: Instant | null;
  /** Last live message or answer of any kind. */
  readonly heardAt: Instant | null;
  /**
   * Whether the device now speaks of a field by itself, for those that can be asked for where it does not. Of all others
   * their `readback` says it once and for all.
   */
  readonly push: Readonly<Record<string, boolean>>;
}

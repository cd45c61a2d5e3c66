import type { FieldSpec } from './field.ts';
import type { DeviceReport, DeviceState } from './reading.ts';
import type { Value } from './value.ts';
import type { Reason } from './verdict.ts';

/** Home Assistant's kinds that the gateway can command. */
export const KINDS = ['climate', 'fan', 'light', 'cover', 'switch', 'humidifier'] as const;
export type DeviceKind = (typeof KINDS)[number];

/** How a device's commands are verified; all times in milliseconds. Frozen into a command when it is made. */
export interface VerifyRules {
  /** For this long after the send a value equal to the command is taken for an echo. */
  readonly echoMs: number;
  /** The wanted value must stand for this long. */
  readonly settleMs: number;
  /** Counted from the send. */
  readonly deadlineMs: number;
  /** How long a verified value is watched for drift. */
  readonly watchMs: number;
  /** Gaps between direct reads; the last one repeats. Empty: the device is not polled. */
  readonly pollMs: readonly number[];
  /** Evidence that `verified` needs: 1 to 3. */
  readonly level: 1 | 2 | 3;
  /**
   * The device speaks through a bridge that repeats from memory what it was told: once the bridge has echoed a command, a
   * report of the wanted value counts only after a direct read has shown it too.
   */
  readonly confirm?: boolean;
  /** How many more times a command may be sent while nothing has moved. */
  readonly resend: number;
}

/** A device as the plan, the reducer and the tools need it. */
export interface DeviceSpec {
  readonly id: string;
  readonly name: string;
  readonly area?: string;
  readonly kind: DeviceKind;
  readonly fields: Readonly<Record<string, FieldSpec>>;
  /** The order in which fields are written. */
  readonly order: readonly string[];
  /** Fields that a command must leave alone. */
  readonly guard: readonly string[];
  /** Changes that a commanded field may bring about: `{ hvac_mode: [target_temperature] }`. */
  readonly sideEffects: Readonly<Record<string, readonly string[]>>;
  readonly verify: VerifyRules;
  /** Shortest time between two commands, in ms. */
  readonly minGapMs: number;
  /** What could not be taken over from the device's description, in words. */
  readonly caveats: readonly string[];
}

/** What becomes of a command on its way out, field by field: fields that share a request share its reports. */
export type SendReport =
  /** The first byte may have left; from here on the command counts as sent. */
  | { readonly type: 'sent'; readonly fields: readonly string[] }
  /** The transport answered well: HTTP 2xx without a `reject`, or PUBACK. */
  | { readonly type: 'accepted'; readonly fields: readonly string[] }
  /** The device said no. */
  | { readonly type: 'refused'; readonly fields: readonly string[]; readonly reason: Reason; readonly detail: string }
  /** Sent, but no answer came: the device may have obeyed. */
  | { readonly type: 'lost'; readonly fields: readonly string[]; readonly detail: string }
  /** It certainly never left: the read that had to come first failed, or nothing could be connected. */
  | { readonly type: 'not_sent'; readonly fields: readonly string[]; readonly reason: Reason; readonly detail: string };

/** The answer to a direct question. The values themselves arrive as a reading. */
export type ReadOutcome = { readonly answered: true } | { readonly answered: false; readonly detail: string };

/**
 * A device at work: the only way in which the rest of the gateway meets one. It reports; it never judges.
 * No method throws: what goes wrong is a report.
 */
export interface Device {
  readonly spec: DeviceSpec;
  state(): DeviceState;
  /** Hears everything the device says from now on. @returns a function that ends it */
  subscribe(listener: (report: DeviceReport) => void): () => void;
  /**
   * Asks the device for these fields; every reading is reported before the promise resolves.
   * @param urgent a command depends on the answer. Otherwise a device that has not answered for a while may be left alone
   */
  read(fields: readonly string[], urgent?: boolean): Promise<ReadOutcome>;
  /**
   * Writes these values (our words), in the device's order. Resolves when every request has ended, which may be long
   * after the reports that matter. Once `signal` aborts no further request is begun; one that has left is not taken back.
   */
  send(
    wants: Readonly<Record<string, Value>>,
    report: (report: SendReport) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Puts values in place that were known from before this run; they are never evidence. */
  recall(values: Readonly<Record<string, Value | null>>): void;
  /** Acquires connections and begins to listen. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A device that came, was described anew, or went. */
export type DeviceChange = { readonly type: 'present' | 'gone'; readonly device: Device };

/** The devices that there are: those of the configuration, and those that announce themselves. */
export interface DeviceDirectory {
  list(): readonly Device[];
  /** Hears of every change from now on; a device described anew is `present` again under its id. @returns its end */
  subscribe(listener: (change: DeviceChange) => void): () => void;
}

import type { Actuation } from '../domain/actuation.ts';
import type { DeviceSpec } from '../domain/device.ts';
import type { Drifted } from '../domain/drift.ts';
import type { PastTask } from '../domain/history.ts';
import type { DeviceState } from '../domain/reading.ts';
import type { Verdict } from '../domain/verdict.ts';

/** One wish: these values on this device, for this principal. */
export interface Wish {
  readonly deviceId: string;
  /** Field → value, as the caller said it; the plan decides whether it can be carried out. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly principal: string;
  /** The caller's own name for this wish: however often it comes, it makes one task. */
  readonly key?: string;
}

/** Who answers a question, and through which door (`mcp`, `cli`, `dashboard`). */
export interface Answer {
  readonly approved: boolean;
  readonly by: string;
  readonly through: string;
}

/** What is told of a device to a reader. */
export interface DeviceView {
  readonly spec: DeviceSpec;
  readonly state: DeviceState;
  /** Its word, or what can be concluded: false where it is known to be out of reach. */
  readonly reachable: boolean;
}

/** What is new of a device: what is known of it, that it came or was described anew, or that it went. */
export interface DeviceNews {
  readonly deviceId: string;
  readonly type: 'state' | 'present' | 'gone';
}

/** Which commands to list, newest first. */
export interface CommandQuery {
  /** Whose; null: everybody's. */
  readonly principal: string | null;
  readonly deviceId?: string;
  readonly verdict?: Verdict;
  /** true: only those that are under way; false: only those that have ended. */
  readonly open?: boolean;
  /** At most this many (1 to 1,000). */
  readonly limit: number;
  /** Continue after this task; nothing comes after one that is unknown. */
  readonly after?: string;
}

/**
 * Everything that the doors (MCP, dashboard, command line) can do with commands and devices. A record that is handed out
 * is on disk already, so nothing that a client was told can be undone by a crash. Unknown ids and those of another
 * principal are told apart by nobody: both give undefined. A door that has made sure of an admin asks with `null` for the
 * principal, and is given everybody's.
 */
export interface Commands {
  devices(): readonly DeviceSpec[];
  /** What is known of a device, without asking it; undefined for one that is unknown. */
  view(deviceId: string): DeviceView | undefined;
  /**
   * What is known of these devices, after asking those that can be asked and whose last answer is older than `maxAgeMs`.
   */
  look(deviceIds: readonly string[], maxAgeMs: number): Promise<readonly DeviceView[]>;
  /**
   * Makes a command durable and starts it. A plan that fails is a settled record with the verdict `rejected`. A wish whose
   * key the principal has used before gives the task of then, as it is now, for as long as that is kept.
   * @throws UserError `unknown_device`, `nothing_to_do`, `store_unavailable`, `shutting_down`; `bad_value` for a key that
   *   cannot be one, `key_reused` for one that comes back with another device or other values
   */
  submit(wish: Wish): Promise<Actuation>;
  get(taskId: string, principal: string | null): Promise<Actuation | undefined>;
  list(query: CommandQuery): Promise<readonly Actuation[]>;
  /** The commands that wait for a person's answer, whoever gave them, in the order in which they were asked. */
  waiting(): Promise<readonly Actuation[]>;
  /** Resolves when the command is settled, or with its state at `untilMs` from now, or when `signal` aborts. */
  settled(taskId: string, principal: string, untilMs: number, signal?: AbortSignal): Promise<Actuation | undefined>;
  /** Stops the tracking. A settled command is returned as it is. */
  cancel(taskId: string, principal: string | null): Promise<Actuation | undefined>;
  /**
   * Answers the question of a waiting command; the first answer wins.
   * @throws UserError `not_waiting` where nothing is asked (any more)
   */
  answer(taskId: string, principal: string, answer: Answer): Promise<Actuation | undefined>;
  /** Hears every new durable state of every command. @returns a function that ends it */
  subscribe(listener: (actuation: Actuation) => void): () => void;
  /**
   * Hears when a device is known to be otherwise than before, however often it says the same, and when the list of devices
   * changes. @returns a function that ends it
   */
  onDevice(listener: (news: DeviceNews) => void): () => void;
  /** What happened to a task after its verdict, oldest first; empty for one that is unknown. */
  aftermath(taskId: string, principal: string | null): Promise<readonly Drifted[]>;
  /** Hears when a verified value changes later, while its device is still watched. @returns a function that ends it */
  onDrift(listener: (event: Drifted) => void): () => void;
  /** The days (`2026-11-30`, UTC) on which something was commanded that has ended; newest first. */
  historyDays(): Promise<readonly string[]>;
  /**
   * The commands of such a day that have ended, also those that tasks can no longer be asked of; newest first, and empty
   * for a day without any.
   * @param principal whose; null: everybody's
   */
  history(day: string, principal: string | null): Promise<readonly PastTask[]>;
  /** How long setting these fields usually takes, in ms, from what was learned; null where that is not known yet. */
  usualMs(deviceId: string, fields: readonly string[]): number | null;
}

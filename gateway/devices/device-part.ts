import type { ReadOutcome, SendReport } from '../domain/device.ts';
import type { Value } from '../domain/value.ts';

/** What is to be told to a device, in our words. */
export type Wants = Readonly<Record<string, Value>>;

export type TellSend = (report: SendReport) => void;

/** One message of a command, and the fields that leave with it. */
export interface WriteStep {
  readonly fields: readonly string[];
  /** Sends it and reports what becomes of it; reports nothing of a message that `signal` keeps from leaving. */
  send(report: TellSend, signal: AbortSignal): Promise<void>;
}

/** One of the ways to a device, HTTP or MQTT: the fields that go this way, and how. What it hears goes to the memory. */
export interface DevicePart {
  /** The messages that carry a command, as far as this part writes its fields; `wants` is in the order of writing. */
  steps(wants: Wants): readonly WriteStep[];
  /** Asks for those of the fields that this part can ask for (see `Device.read`); undefined where there are none. */
  ask(fields: readonly string[], urgent: boolean): Promise<ReadOutcome> | undefined;
  /** From here on an answer to an earlier question is none any more: a command leaves, and it may change everything. */
  beginAnew(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

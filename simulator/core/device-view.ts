import type { ArmedFault } from './armed-faults.ts';
import type { AnswerType } from './fault.ts';
import type { FieldModel, Protocol, State } from './model.ts';
import type { Timing } from './settings.ts';
import type { Counts } from './truth.ts';

/** What a device answers a command that reached it, whatever the protocol. */
export interface Answer {
  readonly type: AnswerType;
  readonly afterMs: number;
  readonly received: State;
}

/** What its sensors answer. */
export interface Report {
  readonly values: State;
  /** The answer is cut off on its way. */
  readonly garbled: boolean;
}

/** Everything about a device that can be looked at, as the control API shows it. */
export interface DeviceView extends Timing {
  readonly id: string;
  readonly name: string;
  readonly protocol: Protocol;
  readonly fields: Readonly<Record<string, FieldModel>>;
  readonly state: State;
  readonly shown: State;
  readonly reachable: boolean;
  readonly faults: readonly ArmedFault[];
  readonly counts: Readonly<Counts>;
}

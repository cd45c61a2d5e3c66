import type { Value } from './value.ts';

/** How values of a field are told apart: words without regard to case, or numbers within `tolerance`. */
export type Comparison =
  | { readonly type: 'option' }
  | {
      readonly type: 'number';
      /** Largest difference, in the field's unit, that still counts as the same value. */
      readonly tolerance: number;
    };

/** A limit that depends on another field: `{ hvac_mode: { heat: 30 } }`. */
export type LimitBy = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What the gateway can learn about a field from its device. */
export interface Readback {
  /** Whether any report or read carries the field. */
  readonly readable: boolean;
  /** The device reports changes by itself, so silence after a good report means that it stayed. */
  readonly push: boolean;
  /** The device can be asked for it. */
  readonly askable: boolean;
  /** Its command can be acknowledged (`ack`, or an echo of a readable field): evidence 2 is within reach. */
  readonly ackable: boolean;
}

/** When a person has to say yes before the field is written. */
export type ApprovalRule =
  | { readonly type: 'never' }
  | { readonly type: 'always' }
  | { readonly type: 'outside'; readonly low: number; readonly high: number }
  | { readonly type: 'values'; readonly values: readonly Value[] };

/** One property of a device, in Home Assistant's words, as the plan and the reducer need it. */
export interface FieldSpec {
  /** Home Assistant's name: `hvac_mode`, `target_temperature`, `fan_mode` … */
  readonly name: string;
  readonly compare: Comparison;
  readonly writable: boolean;
  readonly readback: Readback;
  /** The words that may be set. Undefined: any word. */
  readonly options?: readonly string[];
  /** `[device word, our word]`; where several device words mean one of ours, the first is written. */
  readonly map: readonly (readonly [string, Value])[];
  /** Words the device may say, and what they mean: `{ heat_cool: 'auto' }`. Both sides are our words. */
  readonly alias: Readonly<Record<string, string>>;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly minBy?: LimitBy;
  readonly maxBy?: LimitBy;
  /** Shown to people and models: `C`, `F`, `%`. Values are in this unit everywhere in the gateway. */
  readonly unit?: string;
  /** Ours = the device's number × scale. */
  readonly scale: number;
  /** Words that mean "no value", beyond the usual ones. */
  readonly nulls: readonly string[];
  /**
   * Whether the field has a meaning, given what is known of the others in our words; null: not known.
   * A function because it may be a template.
   */
  readonly applies?: (state: Readonly<Record<string, Value | null>>) => boolean | null;
  /** Where it applies, in words, for refusals: `hvac_mode is cool or heat`. */
  readonly appliesText?: string;
  readonly approval: ApprovalRule;
}

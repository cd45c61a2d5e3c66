import { z } from 'zod';

/** How a device speaks: what a protocol cannot show cannot be armed as a fault either. */
export const PROTOCOLS = ['http', 'web_server', 'zigbee2mqtt', 'esphome', 'tasmota', 'cn105'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A field's value in the words that commands use. */
export type FieldValue = string | number;
export type State = Readonly<Record<string, FieldValue>>;

interface NumberModel {
  readonly type: 'number';
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
  /** False: the device only measures it. */
  readonly settable: boolean;
}

interface WordModel {
  readonly type: 'word';
  readonly options: readonly string[];
  /** How sensors spell the options, where they spell them differently. */
  readonly shown: Readonly<Record<string, string>>;
  readonly settable: boolean;
}

export type FieldModel = NumberModel | WordModel;

/** A number that takes its time to get to where it is wanted, such as a blind's position, and the word that says so. */
export interface Travel {
  /** The number that travels, from its least to its greatest in `fullMs`. */
  readonly field: string;
  /** The word: `up` while the number grows, `down` while it falls, `rest` otherwise. Each can be commanded too. */
  readonly sign: string;
  readonly words: { readonly up: string; readonly down: string; readonly rest: string };
  readonly fullMs: number;
  /** How often it says where it is. */
  readonly everyMs: number;
}

/** A kind of device as data: what it has, within which limits, and how it starts. */
export interface DeviceModel {
  readonly id: string;
  readonly name: string;
  readonly protocol: Protocol;
  readonly fields: Readonly<Record<string, FieldModel>>;
  readonly start: State;
  readonly travel?: Travel;
}

export function numberField(min: number, max: number, options: Partial<NumberModel> = {}): NumberModel {
  return { type: 'number', min, max, integer: false, settable: true, ...options };
}

export function wordField(options: readonly string[], shown: Readonly<Record<string, string>> = {}): WordModel {
  return { type: 'word', options, shown, settable: true };
}

/** The part of a state that is about these fields. */
export function pick(state: State, names: readonly string[]): State {
  return Object.fromEntries(Object.entries(state).filter(([name]) => names.includes(name)));
}

/** What a command to this device may say: any of the settable fields, at least one. */
export function commandSchema(model: DeviceModel): z.ZodType<State> {
  return changesSchema(Object.entries(model.fields).filter(([, field]) => field.settable));
}

/** What may be set by hand: measured fields too. */
export function stateSchema(model: DeviceModel): z.ZodType<State> {
  return changesSchema(Object.entries(model.fields));
}

function changesSchema(fields: readonly (readonly [string, FieldModel])[]): z.ZodType<State> {
  const names = fields.map(([name]) => name);
  const shape = Object.fromEntries(fields.map(([name, field]) => [name, valueSchema(field).exactOptional()]));
  return z
    .strictObject(shape, {
      error: (issue) => {
        if (issue.code === 'unrecognized_keys')
          return `no field ${issue.keys?.join(', ')}; there are ${names.join(', ')}`;
        return 'send a JSON object (content-type application/json)';
      },
    })
    .refine((changes) => Object.keys(changes).length > 0, {
      error: `name at least one of ${names.join(', ')}`,
      when: ({ issues }) => issues.length === 0,
    }) as z.ZodType<State>;
}

function valueSchema(field: FieldModel): z.ZodType<FieldValue> {
  if (field.type === 'word') return z.enum(field.options);
  return (field.integer ? z.int() : z.number()).min(field.min).max(field.max);
}

/** A state as the device's sensors spell it. */
export function shownState(model: DeviceModel, state: State): State {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const field = model.fields[name];
      return [name, field?.type === 'word' ? (field.shown[value] ?? value) : value];
    }),
  );
}

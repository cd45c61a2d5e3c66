import type { DeviceKind } from '../../../domain/device.ts';
import type { DeviceWire, FieldWire } from '../../wire.ts';
import { label, show } from '../words.ts';

/** What a card says in its largest letters, and the few words beside it. */
export interface Headline {
  readonly figure: string;
  readonly words: readonly string[];
}

/** The fields that say what a device does, the first that has a value in large letters. */
const FIGURES: Readonly<Record<DeviceKind, readonly string[]>> = {
  climate: ['target_temperature', 'hvac_mode', 'power'],
  fan: ['percentage', 'preset_mode', 'power'],
  light: ['power', 'brightness'],
  cover: ['position', 'state'],
  switch: ['power', 'state'],
  humidifier: ['target_humidity', 'mode', 'power'],
};

/** What else is worth reading from across the room. */
const WORDS = ['hvac_mode', 'hvac_action', 'brightness', 'current_temperature', 'current_humidity'] as const;

const MEASURED: ReadonlySet<string> = new Set(['current_temperature', 'current_humidity']);

/** What a device does, to be read at a glance. */
export function headline({ kind, fields }: DeviceWire): Headline {
  const known = new Map(fields.filter(({ value }) => value !== null).map((field) => [field.name, field]));
  const isOff = known.get('power')?.value === 'off' || known.get('hvac_mode')?.value === 'off';
  const main = FIGURES[kind].map((name) => known.get(name)).find((field) => field !== undefined) ?? fields[0];
  if (!main) return { figure: '–', words: [] };
  const beside = WORDS.flatMap((name) => known.get(name) ?? []).filter(({ name }) => name !== main.name);
  const words = beside.filter(({ name }) => !isOff || MEASURED.has(name)).map(wordsFor);
  if (isOff) return { figure: 'Off', words: main.name === 'power' ? words : [wordsFor(main), ...words] };
  return { figure: show(main.value, main), words };
}

function wordsFor(field: FieldWire): string {
  const value = show(field.value, field);
  return typeof field.value === 'number' ? `${label(field.name)} ${value}` : value;
}

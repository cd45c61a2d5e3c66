import type { Phase } from '../../domain/actuation.ts';
import { unitText } from '../../domain/plan.ts';
import { print, type Value } from '../../domain/value.ts';
import type { CommandWire } from '../wire.ts';

/** Names that say more to a person than the field's own does. */
const LABELS: Readonly<Record<string, string>> = {
  hvac_mode: 'Mode',
  hvac_action: 'Doing',
  fan_mode: 'Fan',
  preset_mode: 'Preset',
  swing_mode: 'Vertical swing',
  swing_horizontal_mode: 'Horizontal swing',
  percentage: 'Speed',
  current_temperature: 'Measured',
  current_humidity: 'Measured humidity',
  target_temperature: 'Target',
  target_humidity: 'Target humidity',
  color_temp: 'Colour temperature',
};

/** A field's name as a person reads it. */
export function label(field: string): string {
  return LABELS[field] ?? capital(field.replaceAll('_', ' '));
}

/** A word of the wire as a person reads it: `fan_only` is `Fan only`. */
export function word(value: Value): string {
  return capital(String(value).replaceAll('_', ' '));
}

/** A value with its unit, in the step's decimals: `22.0 °C`, `Fan only`; a dash where there is none. */
export function show(
  value: Value | null,
  { unit, step }: { readonly unit?: string | undefined; readonly step?: number | undefined } = {},
): string {
  if (value === null) return '–';
  if (typeof value === 'string') return word(value);
  return `${print(step === undefined ? {} : { step }, value)}${unitText(unit ?? null)}`;
}

/** How long ago something was, in the largest whole unit. */
export function ago(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < 5) return 'just now';
  if (s < 60) return `${s} s ago`;
  if (s < 3_600) return `${Math.floor(s / 60)} min ago`;
  if (s < 86_400) return `${Math.floor(s / 3_600)} h ago`;
  const days = Math.floor(s / 86_400);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}

/** A span as a stopwatch has it: `0.4 s`, `12 s`, `3 min 20 s`. */
export function span(ms: number): string {
  const s = Math.max(0, ms) / 1_000;
  if (s < 10) return `${s.toFixed(1)} s`;
  const whole = Math.round(s);
  if (whole < 60) return `${whole} s`;
  const rest = whole % 60;
  if (whole < 3_600) return rest === 0 ? `${whole / 60} min` : `${Math.floor(whole / 60)} min ${rest} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** An instant as day and time of this browser's time zone. */
export function clockTime(iso: string): string {
  return new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** A command's sentence without the device's name, for where that stands beside it. */
export function sentenceOf({ message, device_name }: CommandWire): string {
  const prefix = `${device_name}: `;
  return capital(together(message.startsWith(prefix) ? message.slice(prefix.length) : message));
}

/** Keeps a number and its unit on one line. */
export function together(text: string): string {
  return text.replace(/(\d) (?=[°%])/g, '$1\u00a0');
}

/** What an open command does now. */
export const PHASE_WORDS = {
  awaiting_approval: 'waiting for an answer',
  queued: 'waiting for its turn',
  sending: 'sending',
  verifying: 'reading back',
  settled: 'settled',
} as const satisfies Record<Phase, string>;

/** A text that begins with a large letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import type { Value } from '../../../domain/value.ts';
import type { CommandFieldWire, CommandStoryWire, MomentWire } from '../../wire.ts';
import { show, span } from '../words.ts';

/** A moment that is marked on a plot. `atS` in seconds since the command was made. */
export interface Mark {
  readonly atS: number;
  readonly type: MomentWire['type'];
}

/** One field's values over time, ready to be drawn. Every series has a place for each of `times`; null: nothing there. */
export interface PlotData {
  readonly field: CommandFieldWire;
  /** Words have no height of their own: they stand at their places in this list. Null where the values are numbers. */
  readonly words: readonly string[] | null;
  /** Seconds since the command was made, ascending. */
  readonly times: readonly number[];
  readonly wanted: readonly (number | null)[];
  /** What was there before, and every reading that counted. */
  readonly read: readonly (number | null)[];
  /** Readings that did not count. */
  readonly aside: readonly (number | null)[];
  readonly marks: readonly Mark[];
  /** The same for whoever does not see it. */
  readonly text: string;
}

const MARKED: ReadonlySet<MomentWire['type']> = new Set([
  'asked',
  'answered',
  'sent',
  'offline',
  'restarted',
  'ended',
  'drifted',
]);

/** What there is to draw of one field of a command. */
export function plotData({ command, moments, now }: CommandStoryWire, field: CommandFieldWire): PlotData {
  const startMs = Date.parse(command.created_at);
  const since = (iso: string) => Math.max(0, (Date.parse(iso) - startMs) / 1_000);
  const about = moments.filter((moment) => moment.field === field.name && moment.value !== undefined);
  const counted = about.filter(({ type }) => type === 'reading' || type === 'drifted');
  const aside = about.filter(({ type }) => type === 'set_aside');
  const words = wordsIn(field, about);
  const height = (value: Value) => (words ? words.indexOf(String(value)) : Number(value));
  const endS = Math.max(since(command.ended_at ?? now), ...about.map(({ at, until }) => since(until ?? at)));
  const readAt = pointsOf(counted, since, height);
  if (field.before !== null && !readAt.has(0)) readAt.set(0, height(field.before));
  const asideAt = pointsOf(aside, since, height);
  const wantedFromS = since(command.sent_at ?? command.created_at);
  const times = [...new Set([0, wantedFromS, endS, ...readAt.keys(), ...asideAt.keys()])].sort((a, b) => a - b);
  return {
    field,
    words,
    times,
    wanted: times.map((time) => (time >= wantedFromS ? height(field.sent) : null)),
    read: times.map((time) => readAt.get(time) ?? null),
    aside: times.map((time) => asideAt.get(time) ?? null),
    marks: moments.filter(({ type }) => MARKED.has(type)).map(({ at, type }) => ({ atS: since(at), type })),
    text: inWords(field, counted, since),
  };
}

/** The words that occur, in the order in which they did, with the wanted one on top. */
function wordsIn({ sent, before }: CommandFieldWire, about: readonly MomentWire[]): readonly string[] | null {
  const all = [before, ...about.map(({ value }) => value ?? null), sent].filter((value) => value !== null);
  if (all.every((value) => Number.isFinite(Number(value)))) return null;
  const others = all.map(String).filter((word) => word !== String(sent));
  return [...new Set(others), String(sent)];
}

/** A run of equal readings has a point at its beginning and one at its end. */
function pointsOf(
  runs: readonly MomentWire[],
  since: (iso: string) => number,
  height: (value: Value) => number,
): Map<number, number> {
  const points = new Map<number, number>();
  for (const { at, until, value = '' } of runs) {
    points.set(since(at), height(value));
    if (until !== undefined) points.set(since(until), height(value));
  }
  return points;
}

function inWords(field: CommandFieldWire, counted: readonly MomentWire[], since: (iso: string) => number): string {
  const before = field.before === null ? '' : `, ${show(field.before, field)} before`;
  const read = counted.map(({ value = '', at }) => `${show(value, field)} after ${span(since(at) * 1_000)}`);
  return `Wanted ${show(field.sent, field)}${before}. ${read.length > 0 ? `Read: ${read.join(', ')}.` : 'No reading counted.'}`;
}

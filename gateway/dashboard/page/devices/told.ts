import type { Value } from '../../../domain/value.ts';
import type { CommandFieldWire, CommandWire, FieldWire } from '../../wire.ts';

/** What a device was last told for one of its fields. */
export interface Told {
  readonly wanted: Value;
  /** No verdict yet. */
  readonly pending: boolean;
  readonly command: CommandWire;
}

/**
 * What a field was last told, where that is worth a word: it is under way, or what is read differs from it. A command that
 * never reached the device told it nothing.
 * @param commands the device's, newest first
 */
export function toldOf(field: FieldWire, commands: readonly CommandWire[]): Told | null {
  for (const command of commands) {
    const part = command.fields.find(({ name }) => name === field.name);
    if (!part || !reachesDevice(command)) continue;
    const told = { wanted: part.sent, pending: command.outcome === null, command };
    return told.pending || (command.sent_at !== null && isApart(field, part)) ? told : null;
  }
  return null;
}

function reachesDevice({ outcome, verdict, sent_at }: CommandWire): boolean {
  return outcome === null || (sent_at !== null && verdict !== 'superseded');
}

/** Numbers nearer than half a step are the same: the device counts in steps too. */
function isApart({ value, step = 0 }: FieldWire, { sent }: CommandFieldWire): boolean {
  if (value === null) return false;
  if (typeof value === 'number' && typeof sent === 'number') return Math.abs(value - sent) > step / 2;
  return String(value).toLowerCase() !== String(sent).toLowerCase();
}

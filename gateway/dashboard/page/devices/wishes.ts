import { signal } from '@preact/signals';
import type { Value } from '../../../domain/value.ts';
import type { CommandWire } from '../../wire.ts';
import { api, wordsOf } from '../api.ts';
import { putCommand } from '../state/home.ts';

/** What was tapped and has not been taken by the gateway yet, by device and field. */
const asking = signal<ReadonlyMap<string, Value>>(new Map());

/** Why the last wish for a device was not taken, by device. */
const refusals = signal<ReadonlyMap<string, string>>(new Map());

/** What is on its way to the gateway for this field; undefined: nothing. */
export function askedFor(device: string, field: string): Value | undefined {
  return asking.value.get(key(device, field));
}

/** Why the gateway did not take the last wish for this device; undefined: it took it. */
export function refusalOf(device: string): string | undefined {
  return refusals.value.get(device);
}

/** Commands a device. What becomes of it is heard of the gateway; nothing is shown as done before that. */
export async function ask(device: string, set: Readonly<Record<string, Value>>): Promise<CommandWire | null> {
  const fields = Object.entries(set);
  asking.value = new Map([...asking.value, ...fields.map(([field, value]) => [key(device, field), value] as const)]);
  refusals.value = without(refusals.value, [device]);
  try {
    const command = await api.submit({ device, set });
    putCommand(command);
    return command;
  } catch (error) {
    refusals.value = new Map(refusals.value).set(device, wordsOf(error));
    return null;
  } finally {
    const done = fields.map(([field]) => key(device, field));
    asking.value = without(asking.value, done);
  }
}

function key(device: string, field: string): string {
  return `${device}/${field}`;
}

function without<Kept>(all: ReadonlyMap<string, Kept>, keys: readonly string[]): ReadonlyMap<string, Kept> {
  return new Map([...all].filter(([each]) => !keys.includes(each)));
}

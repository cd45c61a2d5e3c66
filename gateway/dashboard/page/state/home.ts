import { computed, type Signal, signal } from '@preact/signals';
import type { CommandWire, DeviceWire, EventWire, HomeWire } from '../../wire.ts';
import { setClock } from './clock.ts';

/** Ended commands that are kept beside those that are open; older ones are fetched where they are looked at. */
const KEPT_ENDED = 300;

/** What the gateway says of itself and of the reader; null until it has. */
export const home = signal<HomeWire | null>(null);

/** The devices by id, each a signal of its own, so that one device's news draws one card. Null until the first snapshot. */
export const devices = signal<ReadonlyMap<string, Signal<DeviceWire>> | null>(null);

/** The open commands and the newest that ended, by id. */
export const commands = signal<ReadonlyMap<string, CommandWire>>(new Map());

/** The same, newest first. */
export const newestCommands = computed(() => [...commands.value.values()].sort(newestFirst));

/** The commands of each device, newest first. */
export const commandsByDevice = computed(() => {
  const all = new Map<string, CommandWire[]>();
  for (const command of newestCommands.value) all.set(command.device, [...(all.get(command.device) ?? []), command]);
  return all;
});

/** How many commands are under way. */
export const openCount = computed(() => newestCommands.value.filter(isOpen).length);

/** The commands whose question waits for an answer, the oldest first. */
export const waitingCommands = computed(() =>
  newestCommands.value.filter(({ phase, question }) => phase === 'awaiting_approval' && question !== null).reverse(),
);

/** What the reader may do. */
export const mayRead = computed(() => home.value?.me.can.includes('read') ?? false);
export const mayControl = computed(() => home.value?.me.can.includes('control') ?? false);
export const mayApprove = computed(() => home.value?.me.can.includes('approve') ?? false);
export const isAdmin = computed(() => home.value?.me.can.includes('admin') ?? false);

/** Whether a command is still under way. */
export function isOpen({ outcome }: CommandWire): boolean {
  return outcome === null;
}

/** Order of a list of commands. Ids decide between those of one millisecond, so that rows never change places. */
export function newestFirst(a: CommandWire, b: CommandWire): number {
  return b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id);
}

/** Takes in one message of the gateway's stream. */
export function receive(event: EventWire): void {
  setClock(event.now);
  switch (event.type) {
    case 'snapshot':
      devices.value = new Map(event.devices.map((device) => [device.id, deviceSignal(device)]));
      commands.value = new Map(event.commands.map((command) => [command.id, command]));
      return;
    case 'device':
      putDevice(event.device);
      return;
    case 'device_gone':
      devices.value = new Map([...(devices.value ?? [])].filter(([id]) => id !== event.id));
      return;
    case 'command':
      hear(event.command);
      return;
    case 'tick':
      return;
  }
}

/** Forgets everything, as at a sign-out. */
export function forgetHome(): void {
  home.value = null;
  devices.value = null;
  commands.value = new Map();
}

/**
 * Takes in one command as the gateway answered. The stream may have told more of it before the answer was here, and tells
 * whatever is newer: of what is known already, the answer can only say that it has ended.
 */
export function putCommand(command: CommandWire): void {
  const known = commands.value.get(command.id);
  if (!known || (command.outcome && !known.outcome)) hear(command);
}

/** What comes later on the stream is newer, whatever the gateway's wall clock says; but what has ended stays ended. */
function hear(command: CommandWire): void {
  if (commands.value.get(command.id)?.outcome && !command.outcome) return;
  commands.value = bounded(new Map(commands.value).set(command.id, command));
}

function putDevice(device: DeviceWire): void {
  const known = devices.value?.get(device.id);
  const isMoved = known?.peek().area !== device.area;
  if (known) known.value = device;
  // Where devices stand is read of the map: a device that came or moved draws the house again.
  if (isMoved || !known) devices.value = new Map(devices.value ?? []).set(device.id, known ?? signal(device));
}

/** A device that was there before keeps its signal, and with it its card. */
function deviceSignal(device: DeviceWire): Signal<DeviceWire> {
  const known = devices.peek()?.get(device.id);
  if (!known) return signal(device);
  known.value = device;
  return known;
}

function bounded(all: Map<string, CommandWire>): ReadonlyMap<string, CommandWire> {
  if (all.size <= KEPT_ENDED) return all;
  const ended = [...all.values()].filter((command) => !isOpen(command)).sort(newestFirst);
  for (const { id } of ended.slice(KEPT_ENDED)) all.delete(id);
  return all;
}

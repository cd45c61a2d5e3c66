import type { Actuation, Refusal } from '../domain/actuation.ts';
import type { Device } from '../domain/device.ts';
import { type Known, knownOf, type Plan, plan, question } from '../domain/plan.ts';
import type { DeviceState } from '../domain/reading.ts';
import type { Clock } from '../domain/time.ts';

/** A reading this fresh needs no look, in ms. */
const FRESH_MS = 300;

/** A device that does not answer must not hold a command back for longer than this, in ms. */
const PATIENCE_MS = 2_000;

/** A question to a person may state a value that was read this long ago, in ms. */
const QUESTION_MS = 10_000;

/** What a command finds when its turn comes. */
export interface Look {
  readonly before: Known;
  readonly offline: boolean;
  readonly refusal: Refusal | null;
}

/**
 * Plans a new command on what is known of its device. Where a person will be asked, the device is looked at first: the
 * question states what is there now.
 */
export async function planNew(
  device: Device,
  wishes: Readonly<Record<string, unknown>>,
  clock: Clock,
): Promise<{ readonly known: Known; readonly planned: Plan }> {
  const known = knownOf(device.state());
  const planned = plan(device.spec, known, wishes);
  if (!planned.ok || question(device.spec, known, planned.fields) === null) return { known, planned };
  await refresh(device, clock, { maxAgeMs: QUESTION_MS, patienceMs: PATIENCE_MS, urgent: true });
  const looked = knownOf(device.state());
  return { known: looked, planned: plan(device.spec, looked, wishes) };
}

/**
 * Looks at a device just before a command: a value changed by hand a minute ago would otherwise be taken for a reaction.
 * Devices that speak by themselves are taken at their last word.
 */
export async function lookBefore(device: Device, actuation: Actuation, clock: Clock): Promise<Look> {
  const look = { maxAgeMs: FRESH_MS, patienceMs: PATIENCE_MS, urgent: true };
  await refresh(device, clock, look);
  // One read can get lost; a device is called offline only when a second one finds nobody either.
  if (isOffline(device.state())) await refresh(device, clock, { ...look, maxAgeMs: 0 });
  const state = device.state();
  const known = knownOf(state);
  const wishes = Object.fromEntries(actuation.fields.map((track) => [track.field, track.requested]));
  const again = plan(device.spec, known, wishes);
  return { before: known, offline: isOffline(state), refusal: again.ok ? null : again.refusal };
}

/** How a device is looked at. */
export interface Refreshing {
  /** What was read this long ago is not asked for again. */
  readonly maxAgeMs: number;
  /** How long the answers are waited for. */
  readonly patienceMs: number;
  /** A command depends on it. */
  readonly urgent: boolean;
}

/** Asks for everything that only asking can tell. */
export async function refresh(
  device: Device,
  clock: Clock,
  { maxAgeMs, patienceMs, urgent }: Refreshing,
): Promise<void> {
  const { mono } = clock.now();
  const { values, push } = device.state();
  const stale = Object.values(device.spec.fields).filter((field) => {
    const known = values[field.name];
    const fresh = known?.live === true && mono - known.at.mono <= maxAgeMs;
    return field.readback.askable && !(push[field.name] ?? field.readback.push) && !fresh;
  });
  if (stale.length === 0) return;
  let giveUp = () => {};
  const patience = new Promise<void>((resolve) => {
    giveUp = clock.at(mono + patienceMs, resolve);
  });
  await Promise.race([
    device.read(
      stale.map((field) => field.name),
      urgent,
    ),
    patience,
  ]);
  giveUp();
}

/** Whether a device is known to be otherwise than before. That it has said the same once more is no difference. */
export function differs(before: DeviceState, after: DeviceState): boolean {
  if (isOffline(before) !== isOffline(after)) return true;
  return Object.entries(after.values).some(([field, { value, live }]) => {
    const known = before.values[field];
    return known?.value !== value || known.live !== live;
  });
}

/** Offline by the device's own or its bridge's word, unless it has been heard since. */
export function isOffline(state: DeviceState): boolean {
  if (state.online !== false) return false;
  return !(state.heardAt && state.onlineAt && state.heardAt.mono > state.onlineAt.mono);
}

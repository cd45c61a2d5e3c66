import type { DeviceView } from '../actuation/commands.ts';
import type { FieldSpec } from '../domain/field.ts';
import { unitText } from '../domain/plan.ts';
import type { KnownValue } from '../domain/reading.ts';
import { clockMark, type Instant, iso } from '../domain/time.ts';
import { print } from '../domain/value.ts';

/** One field as it is told: `live` is there, and false, only where an earlier run or a retained message says so. */
export interface FieldState {
  readonly value: string | number | null;
  readonly observed_at: string | null;
  /** There where the wall clock was not set yet, so that `observed_at` is no date. */
  readonly clock?: 'unset';
  /** Seconds since it was observed, on the monotonic clock; null where that cannot be known. */
  readonly age_s: number | null;
  readonly live?: false;
}

/** What is known of a device, for programs. */
export interface StateData {
  readonly device: string;
  readonly name: string;
  readonly area?: string;
  readonly kind: string;
  readonly reachable: boolean;
  readonly values: Readonly<Record<string, FieldState>>;
  readonly caveats?: readonly string[];
}

/** What is known of a device, field by field; a field that nobody has reported is null. */
export function stateData({ spec, state, reachable }: DeviceView, now: Instant): StateData {
  const values = Object.keys(spec.fields).map((field) => [field, fieldState(state.values[field], now)] as const);
  return {
    device: spec.id,
    name: spec.name,
    ...(spec.area !== undefined && { area: spec.area }),
    kind: spec.kind,
    reachable,
    values: Object.fromEntries(values),
    ...(spec.caveats.length > 0 && { caveats: spec.caveats }),
  };
}

function fieldState(known: KnownValue | undefined, now: Instant): FieldState {
  if (!known) return { value: null, observed_at: null, age_s: null };
  const observed = { value: known.value, observed_at: iso(known.at), ...clockMark(known.at) };
  if (!known.live) return { ...observed, age_s: null, live: false };
  // The monotonic clock: the wall clock of a freshly booted Pi jumps.
  return { ...observed, age_s: Math.max(0, Math.round((now.mono - known.at.mono) / 100) / 10) };
}

/** The same as one line of text: values that are equally old stand together. */
export function stateText(data: StateData, fields: Readonly<Record<string, FieldSpec>>): string {
  const groups = new Map<string, string[]>();
  for (const [name, field] of Object.entries(data.values)) {
    const when = ageText(field);
    groups.set(when, [...(groups.get(when) ?? []), fieldText(name, field, fields[name])]);
  }
  const where = data.area === undefined ? data.device : `${data.device}, ${data.area}`;
  const known = [...groups].map(([when, told]) => `${when}: ${told.join(', ')}`).join('; ');
  const caveats = (data.caveats ?? []).map((caveat) => ` Caveat: ${caveat}.`).join('');
  return `${data.name} (${where}) ${data.reachable ? 'is reachable' : 'cannot be reached'}. ${known}.${caveats}`;
}

function fieldText(name: string, { value, observed_at }: FieldState, spec: FieldSpec | undefined): string {
  if (observed_at === null) return name;
  return value === null ? `${name} unknown` : `${name} ${print(spec ?? {}, value)}${unitText(spec?.unit ?? null)}`;
}

function ageText({ observed_at, age_s }: FieldState): string {
  if (observed_at === null) return 'Not known';
  if (age_s === null) return 'From before, not seen since';
  if (age_s < 120) return `${Math.round(age_s)} s ago`;
  return age_s < 7_200 ? `${Math.round(age_s / 60)} min ago` : `${Math.round(age_s / 3_600)} h ago`;
}

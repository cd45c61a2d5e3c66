import type { Finding } from '../support/finding.ts';
import type { Truth } from '../support/truth.ts';
import type { Told } from './client.ts';
import { type Growth, growth, type Vitals } from './vitals.ts';

/** A stretch in which the broker was gone, in ms since 1970. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

export interface SoakAccounts {
  readonly told: readonly Told[];
  readonly truth: Truth;
  readonly outages: readonly Outage[];
  readonly vitals: readonly Vitals[];
}

/** Devices and gateway need so long to find each other again after the broker came back, in ms. */
const RECOVERY_MS = 6_000;

/** A reading is no older than this when a verdict comes of it, in ms. */
const READING_MS = 2_500;

/** A device that shows one decimal may show this much more or less than is true. */
const ROUNDING = 0.05;

/** How much more memory it may hold at the end, as a part, and how many more handles. */
const GROWTH = { heapMb: 1.15, handles: 6 } as const;

/** Compares what clients were told with what really happened. */
export function judge({ told, truth, outages, vitals }: SoakAccounts): Finding[] {
  const byVerdict = (...verdicts: string[]) => told.filter(({ result }) => verdicts.includes(result?.verdict ?? ''));
  const unsent = told.filter(saysUnsent);
  const healthy = told.filter((each) => each.fault === null && !overlaps(each, outages));
  const stood = (each: Told, fromMs: number, toMs: number) =>
    wantsOf(each, ROUNDING).every(([field, isWanted]) => truth.stoodAt(each.simulated, field, isWanted, fromMs, toMs));
  const finding = (name: string, looked: readonly Told[], breaks: (each: Told) => boolean): Finding => {
    return { name, looked: looked.length, violations: looked.filter(breaks).map(described) };
  };
  return [
    finding('every command ended with a verdict', told, ({ result }) => !result?.verdict),
    finding('a command to a healthy device was verified', healthy, ({ result }) => result?.verdict !== 'verified'),
    finding('what was verified was true', byVerdict('verified'), (each) => !stood(each, each.calledAt, each.endedAt)),
    finding(
      'what was told as ignored or elsewhere did not stand at the wanted value',
      byVerdict('ignored', 'mismatch').filter(({ result }) => result?.reason !== 'no_evidence'),
      (each) => !wasThere(each, truth) && alwaysStood(each, truth, each.endedAt - READING_MS, each.endedAt),
    ),
    finding('what was told as not sent never arrived', unsent, (each) => arrivals(each, truth) > 0),
    finding('nothing arrived twice', told, (each) => arrivals(each, truth) > 1),
    strays(told, truth),
    flat('memory in use is flat (MB)', growth(vitals, 'heapMb'), vitals, ({ from, to }) => to <= from * GROWTH.heapMb),
    flat('handles are flat', growth(vitals, 'handles'), vitals, ({ from, to }) => to <= from + GROWTH.handles),
  ];
}

function flat(name: string, change: Growth, vitals: readonly Vitals[], isFlat: (change: Growth) => boolean): Finding {
  const text = `from ${change.from.toFixed(1)} to ${change.to.toFixed(1)}`;
  return { name: `${name}: ${text}`, looked: vitals.length, violations: isFlat(change) ? [] : [text] };
}

/** Everything that reached a device came while one of its commands was under way. */
function strays(told: readonly Told[], truth: Truth): Finding {
  const violations = truth.receptions
    .filter(
      ({ device, epoch_ms }) =>
        !told.some((each) => each.simulated === device && epoch_ms >= each.calledAt && epoch_ms <= each.endedAt),
    )
    .map(({ device, body, epoch_ms }) => `${device} received ${JSON.stringify(body)} at ${time(epoch_ms)}`);
  return { name: 'nothing arrived that nobody was waiting for', looked: truth.receptions.length, violations };
}

function arrivals({ simulated, calledAt, endedAt }: Told, truth: Truth): number {
  return truth.receivedIn(simulated, calledAt, endedAt).length;
}

function saysUnsent({ result }: Told): boolean {
  return result !== null && Object.values(result.fields).every(({ evidence }) => evidence === null);
}

/** The wanted value was there when the command was given: then nothing has to move. */
function wasThere(each: Told, truth: Truth): boolean {
  return wantsOf(each, ROUNDING).every(([field, isWanted]) => isWanted(truth.at(each.simulated, field, each.calledAt)));
}

function alwaysStood(each: Told, truth: Truth, fromMs: number, toMs: number): boolean {
  return wantsOf(each, -ROUNDING).every(
    ([field, isWanted]) =>
      isWanted(truth.at(each.simulated, field, fromMs)) && !truth.changedIn(each.simulated, field, fromMs, toMs),
  );
}

/** The device's fields, and whether a value of one is the wanted one. Devices show one decimal: hence the slack. */
function wantsOf({ kind, wish }: Told, slack: number): (readonly [string, (value: unknown) => boolean])[] {
  return Object.entries(kind.wire(wish)).map(([field, wanted]) => [
    field,
    (value: unknown) =>
      typeof wanted === 'number' ? Math.abs(Number(value) - wanted) <= kind.tolerance + slack : value === wanted,
  ]);
}

function overlaps({ kind, calledAt, endedAt }: Told, outages: readonly Outage[]): boolean {
  const onBroker = kind.simulated !== 'ac' && kind.simulated !== 'fan';
  return onBroker && outages.some(({ from, to }) => calledAt < to + RECOVERY_MS && endedAt > from);
}

function described({ simulated, wish, fault, taskId, status, result, calledAt, endedAt }: Told): string {
  const ending = result ? `${result.verdict}/${result.reason}` : status;
  return `${simulated} ${JSON.stringify(wish)}${fault === null ? '' : ` under ${fault}`}: ${ending} (${taskId}, ${time(calledAt)} to ${time(endedAt)})`;
}

function time(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 23);
}

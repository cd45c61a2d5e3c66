import { isDeepStrictEqual } from 'node:util';
import type { ActuationResult } from '../../gateway/domain/result.ts';
import { type Case, wireText } from './case.ts';
import type { Received } from './received.ts';
import { requestName } from './scripted-http.ts';

/** What came of a situation. */
export interface Played {
  /** null where no verdict came in time. */
  readonly result: ActuationResult | null;
  /** When the verdict was known, in ms of the situation from time zero. */
  readonly verdictAt: number | null;
  readonly commands: readonly Received[];
  /** When drift was reported, in ms of the situation from time zero. */
  readonly driftedAt: readonly number[];
  /** How late drift may be known: until the device speaks by itself, or is asked again; in ms of the situation. */
  readonly driftLatency: number;
}

/** One expectation that was not met. */
export interface Miss {
  readonly expectation: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** What a machine may add to every time of its own, in real ms. */
export const SLACK_MS = 400;

/** Every expectation of a case that the play did not meet; empty: it passed. */
export function compare(situation: Case, played: Played, speed: number): Miss[] {
  const { expect } = situation;
  const { result } = played;
  const misses: Miss[] = [];
  const check = (met: boolean, expectation: string, expected: unknown, got: unknown) => {
    if (!met) misses.push({ expectation, expected, got });
  };
  if (!result) return [{ expectation: 'verdict', expected: expect.verdict, got: 'no verdict in time' }];
  check(result.verdict === expect.verdict, 'verdict', expect.verdict, `${result.verdict}${because(result.reason)}`);
  if (expect.reason !== undefined) check(result.reason === expect.reason, 'reason', expect.reason, result.reason);
  for (const [field, verdict] of Object.entries(expect.fields ?? {})) {
    const got = result.fields[field];
    check(got?.verdict === verdict, `fields.${field}`, verdict, got ? `${got.verdict}${because(got.reason)}` : 'none');
  }
  for (const [field, value] of Object.entries(expect.observed ?? {})) {
    const got = result.fields[field]?.observed;
    check(sameValue(value, got), `observed.${field}`, value, got);
  }
  const at = played.verdictAt ?? Number.NaN;
  const slack = SLACK_MS * speed;
  const { not_before: notBefore = 0, not_after: notAfter = Number.POSITIVE_INFINITY } = expect;
  check(at >= notBefore - slack, 'not_before', notBefore, Math.round(at));
  check(at <= notAfter + slack, 'not_after', notAfter, Math.round(at));
  misses.push(...compareCommands(situation, played.commands));
  const { event } = expect;
  if (event) {
    const latest = event.at + played.driftLatency + slack;
    const seen = played.driftedAt.some((time) => time >= event.at - slack && time <= latest);
    check(seen, `event.${event.type}`, event.at, played.driftedAt.map(Math.round));
  }
  return misses;
}

function compareCommands({ expect, set }: Case, commands: readonly Received[]): Miss[] {
  const misses: Miss[] = [];
  const { sent } = expect;
  const allowed = expect.commands ?? (sent === null ? 0 : 1);
  const count = commandCount(commands, Object.keys(set).length);
  if (count > allowed) misses.push({ expectation: 'commands', expected: allowed, got: count });
  if (sent === null && commands.length > 0) misses.push({ expectation: 'sent', expected: null, got: commands });
  if (sent && !commands.some((command) => isSent(sent, command))) {
    misses.push({ expectation: 'sent', expected: sent, got: commands });
  }
  return misses;
}

/**
 * How often the command was sent. One command may take a message for each of its fields, but never the same one twice.
 */
function commandCount(commands: readonly Received[], fields: number): number {
  const repeats = new Map<string, number>();
  for (const { to, payload } of commands) {
    const key = JSON.stringify([to, payload]);
    repeats.set(key, (repeats.get(key) ?? 0) + 1);
  }
  return Math.max(0, Math.ceil(commands.length / Math.max(fields, 1)), ...repeats.values());
}

function isSent(sent: NonNullable<Case['expect']['sent']>, command: Received): boolean {
  const to = sent.topic ?? requestName(sent.request ?? '');
  if (to !== command.to) return false;
  // What a GET says is in its query, which is not compared.
  if (to.startsWith('GET ')) return true;
  return sent.payload === undefined || samePayload(sent.payload, command.payload);
}

/** JSON objects and lists are compared as values; everything else to the letter, because 22 is not 22.0 to a device. */
function samePayload(expected: unknown, got: string): boolean {
  const wanted = structure(wireText(expected));
  return wanted === undefined ? wireText(expected) === got : isDeepStrictEqual(wanted, structure(got));
}

function structure(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function sameValue(expected: string | number | null, got: unknown): boolean {
  if (typeof expected === 'number' && typeof got === 'number') return Math.abs(expected - got) < 1e-9;
  return expected === null ? got === null : String(expected) === String(got);
}

function because(reason: string | null): string {
  return reason ? `/${reason}` : '';
}

import { messageOf } from '../domain/errors.ts';
import { parseXml } from './xml.ts';

/** How an answer or message is read. */
export type PayloadFormat = 'json' | 'kv' | 'text' | 'xml';

/** What templates and paths see of an answer or message. */
export interface Payload {
  /** As it came. */
  readonly value: string;
  /** Decoded; undefined where the format is plain text. */
  readonly value_json: unknown;
}

export type DecodedPayload =
  | { readonly ok: true; readonly payload: Payload }
  | { readonly ok: false; readonly payload: Payload; readonly detail: string };

/** Reads a body. What cannot be decoded still has its `value`. */
export function decodePayload(format: PayloadFormat, value: string): DecodedPayload {
  switch (format) {
    case 'text':
      return { ok: true, payload: { value, value_json: undefined } };
    case 'kv':
      return decodeKv(value);
    case 'xml': {
      const parsed = parseXml(value);
      if (parsed.ok) return { ok: true, payload: { value, value_json: parsed.tree } };
      return { ok: false, payload: { value, value_json: undefined }, detail: parsed.detail };
    }
    case 'json':
      try {
        return { ok: true, payload: { value, value_json: parseJson(value) } };
      } catch (error) {
        return { ok: false, payload: { value, value_json: undefined }, detail: `no JSON: ${messageOf(error)}` };
      }
  }
}

/** Numbers that JSON does not have, but that Python and some firmware write; strings are matched to be passed over. */
const NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/** @throws SyntaxError. One value that is no number must not hide all others: it is taken for null. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(NO_NUMBER, (found) => (found.startsWith('"') ? found : 'null')));
  }
}

/** `ret=OK,pow=1,name=a=b`, also with one pair a line. */
function decodeKv(value: string): DecodedPayload {
  const pairs = value
    .split(/[,\r\n]+/)
    .map((pair) => [pair, pair.indexOf('=')] as const)
    .filter(([, equals]) => equals > 0)
    .map(([pair, equals]) => [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()] as const);
  if (pairs.length === 0) return { ok: false, payload: { value, value_json: undefined }, detail: 'no key=value in it' };
  return { ok: true, payload: { value, value_json: Object.fromEntries(pairs) } };
}

/**
 * Walks `attributes.temperature` or `sensors.0.value`; an XML element that has attributes stands for its text. A key may hold dots itself (`e_3001.p_01`): the longest key that
 * exists is taken first, and a shorter one where that leads nowhere.
 * @returns undefined where the path does not exist
 */
export function walk(value: unknown, path: string): unknown {
  const found = walkParts(value, path.split('.'));
  const isElement = typeof found === 'object' && found !== null && Object.hasOwn(found, '#text');
  return isElement ? (found as Record<string, unknown>)['#text'] : found;
}

function walkParts(value: unknown, parts: readonly string[]): unknown {
  if (parts.length === 0) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (let length = parts.length; length > 0; length--) {
    const key = parts.slice(0, length).join('.');
    if (!Object.hasOwn(value, key)) continue;
    const found = walkParts((value as Record<string, unknown>)[key], parts.slice(length));
    if (found !== undefined) return found;
  }
  return undefined;
}

import { type Plain, texts } from '../../config/plain.ts';

/** Largest description of one device, in characters of JSON. */
const MAX_DESCRIPTION = 64 * 1024;
/** Longest text in it: templates are the longest. */
const MAX_TEXT = 8 * 1024;
/** A list of words, such as a lamp's effects, and each of its words. */
const MAX_WORDS = 256;
const MAX_WORD = 128;
/** Topics that together say whether a device is there. */
const MAX_AVAILABILITY = 16;
/** Names are shown to people and models, which are not made to read a novel. */
const MAX_LABEL = 100;
const MAX_CAVEATS = 20;
const MAX_CAVEAT = 300;

/** Why an entity is too large to be taken in at all. */
export function sizeFlaw(entity: Plain): string | undefined {
  const size = JSON.stringify(entity).length;
  return size > MAX_DESCRIPTION
    ? `its description has ${size} characters; at most ${MAX_DESCRIPTION} are taken`
    : undefined;
}

/** An entity without the keys that hold more than any honest device has to say; each becomes a caveat. */
export function withinBounds(entity: Plain): { readonly entity: Plain; readonly caveats: readonly string[] } {
  const caveats: string[] = [];
  const kept = Object.entries(entity).filter(([key, value]) => {
    const flaw = flawOf(key, value);
    if (flaw !== undefined) caveats.push(`${key} is left out: ${flaw}`);
    return flaw === undefined;
  });
  return { entity: Object.fromEntries(kept), caveats };
}

function flawOf(key: string, value: unknown): string | undefined {
  if (key === 'availability') {
    const count = Array.isArray(value) ? value.length : 1;
    return count > MAX_AVAILABILITY ? `at most ${MAX_AVAILABILITY} topics are listened to` : undefined;
  }
  if (Array.isArray(value)) {
    if (value.length > MAX_WORDS) return `a list has at most ${MAX_WORDS} words`;
    const isLong = value.some((word) => typeof word === 'string' && word.length > MAX_WORD);
    return isLong ? `a word has at most ${MAX_WORD} characters` : undefined;
  }
  const isLong = texts(value, []).some(([, text]) => text.length > MAX_TEXT);
  return isLong ? `a text has at most ${MAX_TEXT} characters` : undefined;
}

/** A name as one short line, without what would end a line or hide in it. */
export function label(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  return shortened(line, MAX_LABEL);
}

/** As many caveats as somebody may read, each as one short line. */
export function bounded(caveats: readonly string[]): string[] {
  const lines = caveats.map((caveat) => shortened(caveat.replace(/[\p{C}\s]+/gu, ' ').trim(), MAX_CAVEAT));
  if (lines.length <= MAX_CAVEATS) return lines;
  return [...lines.slice(0, MAX_CAVEATS - 1), `and ${lines.length - MAX_CAVEATS + 1} more things`];
}

function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}

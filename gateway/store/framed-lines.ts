import { crc32 } from 'node:zlib';

/**
 * Lines of JSON that prove themselves: `{"crc":"89abcdef",…}`. The checksum covers the rest of its line and is seeded
 * with the checksum of the line before, so a line that is changed, lost, doubled or moved is noticed.
 */
export interface FramedLine {
  /** With its line end. */
  readonly text: string;
  /** The checksum, with which the next line is seeded. */
  readonly crc: number;
}

/** Seed of a file's first line. */
export const FIRST = 0;

const OPENING = '{"crc":"';
const CLOSING = '",';
const BODY_AT = OPENING.length + 8 + CLOSING.length;

/** @param members the members of a JSON object without its braces */
export function frame(members: string, seed: number): FramedLine {
  const rest = `${members}}`;
  const crc = crc32(rest, seed);
  return { text: `${OPENING}${hex(crc)}${CLOSING}${rest}\n`, crc };
}

/** Why a file could not be read to its end. */
export interface Trouble {
  /**
   * `torn`: the last line was not written to its end, as a crash leaves it. `damaged`: something that no crash of the
   * gateway explains.
   */
  readonly kind: 'torn' | 'damaged';
  /** From 1. */
  readonly line: number;
  /** In bytes, from 0: where that line begins. */
  readonly offset: number;
  readonly what: string;
}

/** The good lines of a file, as far as there are any, and what ended them. */
export interface Scan {
  readonly lines: readonly { readonly value: unknown; readonly offset: number }[];
  readonly trouble: Trouble | null;
}

/** Reads framed lines up to the first that is not whole. */
export function scan(content: Buffer): Scan {
  const lines: { value: unknown; offset: number }[] = [];
  let seed = FIRST;
  for (let offset = 0; offset < content.length; ) {
    const end = content.indexOf('\n', offset);
    const bytes = content.subarray(offset, end < 0 ? content.length : end);
    const found = unframe(bytes, seed);
    if (!found) {
      const trouble = { line: lines.length + 1, offset };
      if (end >= 0) return { lines, trouble: { ...trouble, kind: 'damaged', what: 'its checksum does not fit' } };
      // A line that lacks nothing but its line end was not torn: somebody changed that byte.
      if (unframe(bytes.subarray(0, -1), seed)) {
        return { lines, trouble: { ...trouble, kind: 'damaged', what: 'its line end is overwritten' } };
      }
      return { lines, trouble: { ...trouble, kind: 'torn', what: 'it is not written to its end' } };
    }
    lines.push({ value: found.value, offset });
    seed = found.crc;
    offset += bytes.length + 1;
  }
  return { lines, trouble: null };
}

/** What a line holds, without its line end; null where it is not one that `frame` made with this seed. */
export function unframe(bytes: Buffer, seed: number): { value: unknown; crc: number } | null {
  const rest = bytes.subarray(BODY_AT);
  const crc = crc32(rest, seed);
  // Compared as text, so that every bit of the frame counts: `AB` is not `ab`.
  if (bytes.toString('latin1', 0, BODY_AT) !== `${OPENING}${hex(crc)}${CLOSING}`) return null;
  try {
    return { value: JSON.parse(`{${rest.toString()}`), crc };
  } catch {
    return null;
  }
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

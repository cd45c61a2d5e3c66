/** Gives numbers from 0 (included) to 1 (excluded). */
export type Random = () => number;

/**
 * A small generator with 32 bits of state (the construction known as mulberry32): a Weyl sequence whose every term is
 * mixed. The same seed gives the same numbers on every machine, which is what a replay needs; it is no source of secrets.
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

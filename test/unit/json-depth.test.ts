import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthOf } from '../../gateway/http/json-depth.ts';

function depthByWalking(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthByWalking));
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the depth of JSON', () => {
  it('is what one finds by walking through it, brackets in strings or not', () => {
    const brackets = fc.oneof(fc.string(), fc.stringMatching(/^[[\]{}"\\]{0,10}$/));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8, stringUnit: 'binary' }), brackets, (value, key) => {
        const json = JSON.stringify({ [key]: value });
        expect(depthOf(bytes(json))).toBe(depthByWalking(JSON.parse(json)));
      }),
    );
  });

  it('is not counted much further than is allowed', () => {
    expect(depthOf(bytes('['.repeat(1_000_000)))).toBe(101);
    expect(depthOf(bytes(`${'['.repeat(100)}${']'.repeat(100)}`))).toBe(100);
  });
});

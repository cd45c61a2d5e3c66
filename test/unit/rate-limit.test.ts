import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimit, retryAfter } from '../../gateway/http/rate-limit.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('a rate limit', () => {
  it('lets through no more than its burst and its rate, and tells truly when to come again', async () => {
    const steps = fc.array(fc.oneof(fc.constant('take' as const), fc.nat({ max: 2_000 })), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        async (moves, perSecond, burst) => {
          const clock = new VirtualClock();
          const limit = new RateLimit({ perSecond, burst, clock });
          const begun = clock.now().mono;
          let taken = 0;
          for (const move of moves) {
            if (move !== 'take') {
              await clock.pass(move);
              continue;
            }
            const wait = limit.take('anna');
            if (wait === 0) taken += 1;
            else {
              expect(limit.waitMs('anna')).toBeCloseTo(wait, 6);
              await clock.pass(Math.ceil(wait));
              expect(limit.take('anna')).toBe(0);
              taken += 1;
            }
            const elapsedS = (clock.now().mono - begun) / 1_000;
            expect(taken).toBeLessThanOrEqual(burst + elapsedS * perSecond + 1e-6);
          }
        },
      ),
    );
  });

  it('holds each key to its own bucket', () => {
    const limit = new RateLimit({ perSecond: 1, burst: 1, clock: new VirtualClock() });
    expect(limit.take('anna')).toBe(0);
    expect(limit.take('anna')).toBeGreaterThan(0);
    expect(limit.take('ben')).toBe(0);
  });

  it('lets one through after a rest, however slow it is', async () => {
    const clock = new VirtualClock();
    const limit = new RateLimit({ perSecond: 0.4, burst: 0.8, clock });
    expect(limit.take('anna')).toBe(0);
    expect(limit.take('anna')).toBeCloseTo(2_500, 6);
    await clock.pass(2_500);
    expect(limit.take('anna')).toBe(0);
  });

  it('remembers a bounded number of keys', () => {
    const limit = new RateLimit({ perSecond: 0.001, burst: 1, clock: new VirtualClock() });
    limit.take('first');
    for (let key = 0; key < 10_000; key += 1) limit.take(String(key));
    expect(limit.waitMs('9999')).toBeGreaterThan(0);
    expect(limit.waitMs('first')).toBe(0);
  });

  it('names whole seconds, and never none', () => {
    expect(retryAfter(1)).toEqual({ 'retry-after': '1' });
    expect(retryAfter(1_001)).toEqual({ 'retry-after': '2' });
  });
});

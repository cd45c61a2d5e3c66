import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Guesses, neighbourhood } from '../../gateway/http/guesses.ts';
import { tokenRecord } from '../support/tokens.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('the neighbourhood of an address', () => {
  it('is its first 64 bits of IPv6, however they are written', () => {
    for (const [written, network] of [
      ['2001:db8::1', '2001:db8:0:0'],
      ['2001:db8:0:0:1::', '2001:db8:0:0'],
      ['2001:0DB8:0:0:0:0:0:1', '2001:db8:0:0'],
      ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
      ['::1', '0:0:0:0'],
      ['::', '0:0:0:0'],
      ['fe80::7%eth0', 'fe80:0:0:0'],
    ]) {
      expect(neighbourhood(String(written)), written).toBe(network);
    }
  });

  it('is the same for every address in it, and the whole address of IPv4', () => {
    const groups = (length: number) =>
      fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: length, maxLength: length });
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), (network, one, other) => {
        // The URL parser shortens as the system does.
        const short = (host: number[]) =>
          new URL(`http://[${[...network, ...host].map((group) => group.toString(16)).join(':')}]`).hostname.slice(
            1,
            -1,
          );
        expect(neighbourhood(short(one))).toBe(neighbourhood(short(other)));
      }),
    );
    expect(neighbourhood('192.0.2.7')).toBe('192.0.2.7');
    expect(neighbourhood('::ffff:192.0.2.7')).not.toBe(neighbourhood('::ffff:192.0.2.8'));
  });
});

describe('guesses', () => {
  it('of one household slow down that household alone', () => {
    const guesses = new Guesses(new VirtualClock());
    for (let at = 1; at <= 10; at += 1) expect(guesses.judge(`2001:db8::${at}`, undefined)).toBe(0);
    expect(guesses.judge('2001:db8::b', undefined)).toBeGreaterThan(0);
    expect(guesses.judge('2001:db8::b', tokenRecord('anna', 'read'))).toBeGreaterThan(0);
    expect(guesses.judge('2001:db8:0:1::b', undefined)).toBe(0);
    expect(guesses.judge('2001:db8:0:1::b', tokenRecord('anna', 'read'))).toBe(0);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, disjoint, filterFlaw, matches, overlap, topicFlaw } from '../../gateway/transports/mqtt-filter.ts';

// Few words and short topics, so that filters meet often.
const word = fc.constantFrom('a', 'b', '');
const topic = fc
  .array(word, { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join('/'))
  .filter((text) => text !== '');
const filter = fc
  .tuple(fc.array(fc.oneof(word, fc.constant('+')), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([levels, open]) => [...levels, ...(open ? ['#'] : [])].join('/'))
  .filter((text) => text !== '');

describe('topic filters', () => {
  it.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/B', false],
    ['a/b', 'a/b/', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a/', true],
    ['a/+', 'a', false],
    ['a/+', 'a/b/c', false],
    ['+/b', '/b', true],
    ['a/#', 'a', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'ab', false],
    ['#', 'a/b', true],
    ['+', 'a/b', false],
    ['+/+', 'a/b', true],
  ])('%s on %s: %s', (pattern, name, expected) => expect(matches(pattern, name)).toBe(expected));

  it.each(['', '$SYS/#', '$share/group/a', 'a/#/b', 'a/b+', 'a#', '++', 'a\0b', 'x'.repeat(65_536)])(
    'refuses %j',
    (pattern) => expect(filterFlaw(pattern)).toBeDefined(),
  );

  it.each(['a', '/', '+', '#', '+/#', 'a/+/b', 'ä/ö', ' '])('takes %j', (pattern) =>
    expect(filterFlaw(pattern)).toBeUndefined(),
  );

  it.each(['a/+', '#', '$SYS/x', ''])('refuses to publish under %j', (name) => expect(topicFlaw(name)).toBeDefined());

  it('cover and overlap as the topics say that they take', () => {
    fc.assert(
      fc.property(filter, filter, topic, (one, two, name) => {
        if (covers(one, two) && matches(two, name)) expect(matches(one, name)).toBe(true);
        if (matches(one, name) && matches(two, name)) expect(overlap(one, two)).toBe(true);
        expect(overlap(one, two)).toBe(overlap(two, one));
      }),
      { numRuns: 2_000 },
    );
  });

  it('made disjoint take every topic once that any of them took', () => {
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 8 }), topic, (filters, name) => {
        const made = disjoint(filters);
        const hits = made.filter((each) => matches(each, name)).length;
        if (filters.some((each) => matches(each, name))) expect(hits).toBe(1);
        else expect(hits).toBeLessThanOrEqual(1);
        for (const each of filters) expect(made.some((wide) => covers(wide, each))).toBe(true);
        for (const [index, one] of made.entries()) {
          expect(made.slice(index + 1).some((two) => overlap(one, two))).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves filters alone that do not meet', () => {
    const filters = ['homeassistant/+/+/config', 'homeassistant/+/+/+/config', 'zigbee2mqtt/lamp', 'readback/#'];
    expect(disjoint(filters).toSorted()).toEqual(filters.toSorted());
  });
});

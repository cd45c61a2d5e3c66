import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { NameLookups } from '../../gateway/transports/name-lookups.ts';

type Answer = Parameters<LookupFunction>[2];

/** A name server that answers when its test says so. */
function slowServer() {
  const asked: { readonly name: string; readonly answer: Answer }[] = [];
  const lookup: LookupFunction = (name, _options, answer) => void asked.push({ name, answer });
  return { asked, lookups: new NameLookups(lookup, 2) };
}

describe('names of devices', () => {
  it('are looked up a few at a time, in order', () => {
    const { asked, lookups } = slowServer();
    const found: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) lookups.look(name, {}, () => found.push(name));
    expect(asked.map(({ name }) => name)).toEqual(['a', 'b']);
    asked[1]?.answer(null, '192.0.2.2', 4);
    expect(asked.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    asked[0]?.answer(new Error('EAI_AGAIN'), '', 4);
    asked[2]?.answer(null, '192.0.2.3', 4);
    asked[3]?.answer(null, '192.0.2.4', 4);
    expect(found).toEqual(['b', 'a', 'c', 'd']);
  });

  it('are asked once for everybody who waits, and anew for who comes later', () => {
    const { asked, lookups } = slowServer();
    const found: unknown[] = [];
    for (let time = 0; time < 3; time += 1) lookups.look('a', { all: true }, (_error, address) => found.push(address));
    lookups.look('a', { family: 6 }, (_error, address) => found.push(address));
    expect(asked).toHaveLength(2);
    asked[0]?.answer(null, [{ address: '192.0.2.1', family: 4 }]);
    expect(found).toEqual(Array(3).fill([{ address: '192.0.2.1', family: 4 }]));
    lookups.look('a', { all: true }, () => {});
    expect(asked).toHaveLength(3);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ServerEvent, ServerEventReader } from '../../gateway/transports/server-events.ts';

/** What comes of a stream that arrives in these pieces. */
function read(...chunks: readonly (string | Uint8Array)[]): ServerEvent[] {
  const reader = new ServerEventReader();
  return chunks.flatMap((chunk) => reader.read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
}

describe('a stream of server-sent events', () => {
  it.each<[string, string, ServerEvent[]]>([
    ['a name and data', 'event: state\ndata: {"a":1}\n\n', [{ name: 'state', data: '{"a":1}' }]],
    ['no name', 'data: x\n\n', [{ name: 'message', data: 'x' }]],
    ['data in several lines', 'data: a\ndata:b\ndata\n\n', [{ name: 'message', data: 'a\nb\n' }]],
    ['only one space to be left out', 'data:  x\n\n', [{ name: 'message', data: ' x' }]],
    ['what is not looked at', 'retry: 1\nid: 7\n: comment\nwhat: ever\ndata: x\n\n', [{ name: 'message', data: 'x' }]],
    ['a name without data', 'event: ping\n\ndata: x\n\n', [{ name: 'message', data: 'x' }]],
    ['a byte order mark', '\ufeffdata: x\n\n', [{ name: 'message', data: 'x' }]],
    ['an event that is not over', 'data: x\n\ndata: y\n', [{ name: 'message', data: 'x' }]],
    ['returns', 'data: x\r\rdata: y\r\n\r\n', ['x', 'y'].map((data) => ({ name: 'message', data }))],
  ])('has %s', (_name, text, events) => {
    expect(read(text)).toEqual(events);
  });

  it('is the same however it is cut', () => {
    const line = fc.constantFrom(
      'data: é😀',
      'data:',
      'event: state',
      ': comment',
      'id: 1',
      '',
      '',
      'data: {"a": [1]}',
    );
    const ends = fc.constantFrom('\n', '\r', '\r\n');
    const stream = fc.array(fc.tuple(line, ends), { maxLength: 20 }).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(read(...chunks)).toEqual(read(text));
      }),
    );
  });

  it.each<[string, string[]]>([
    ['in one line', [`data: ${'x'.repeat(70_000)}\n\n`]],
    ['in a line that comes in pieces', ['data: ', ...Array<string>(70).fill('x'.repeat(1_000)), 'data: y\n\n']],
    ['in many lines', [...Array<string>(70).fill(`data: ${'x'.repeat(1_000)}\n`), '\n']],
  ])('tells only the name of an event that is too large %s, and goes on', (_name, chunks) => {
    expect(read('event: state\n', ...chunks, 'data: next\n\n')).toEqual([
      { name: 'state', data: null },
      { name: 'message', data: 'next' },
    ]);
  });

  it('replaces bytes that are no UTF-8', () => {
    expect(read(Buffer.from([...Buffer.from('data: a'), 0xff, 0x0a, 0x0a]))).toEqual([
      { name: 'message', data: 'a\ufffd' },
    ]);
  });
});

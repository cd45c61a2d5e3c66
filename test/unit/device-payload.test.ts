import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePayload, walk } from '../../gateway/devices/payload.ts';

describe('decoding', () => {
  it.each([
    ['json', '{"a": [1]}', { a: [1] }],
    ['json', '21.5', 21.5],
    ['json', '{"a":NaN,"b":[-Infinity, 1],"c":"NaN \\"Infinity"}', { a: null, b: [null, 1], c: 'NaN "Infinity' }],
    ['json', 'NaN', null],
    ['kv', 'ret=OK,pow=1,name=a=b,adv=', { ret: 'OK', pow: '1', name: 'a=b', adv: '' }],
    ['kv', 'a=1\r\nb=2\n', { a: '1', b: '2' }],
    ['text', '{"a": 1}', undefined],
    ['xml', '<?xml version="1.0"?><a><b>1.0</b></a>', { a: { b: '1.0' } }],
    ['xml', '<a u="C">21</a>', { a: { '@u': 'C', '#text': '21' } }],
    ['xml', '<a><b>1</b><b>2</b><c/></a>', { a: { b: ['1', '2'], c: '' } }],
    ['xml', '<a>&lt;&#176;</a>', { a: '<°' }],
  ] as const)('%s of %j', (format, text, value_json) => {
    expect(decodePayload(format, text)).toEqual({ ok: true, payload: { value: text, value_json } });
  });

  it.each([
    ['json', '{"a": '],
    ['json', ''],
    ['json', '{"NaN": nan}'],
    ['json', '<html>busy</html>'],
    ['kv', 'busy'],
    ['xml', ''],
    ['xml', '<a><b></a>'],
    ['xml', '{"a": 1}'],
    ['xml', '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'],
    ['kv', ''],
  ] as const)('says that %s cannot be read from %j', (format, text) => {
    expect(decodePayload(format, text)).toMatchObject({ ok: false, payload: { value: text, value_json: undefined } });
  });

  it('never throws, and keeps the text', () => {
    fc.assert(
      fc.property(fc.constantFrom('json', 'kv', 'text', 'xml'), fc.string({ unit: 'binary' }), (format, text) => {
        expect(decodePayload(format, text).payload.value).toBe(text);
      }),
    );
  });
});

describe('walking a path', () => {
  const value = {
    a: { b: [{ c: 1 }], 'x.y': { z: 2 }, x: { q: 3 } },
    'a.b': { 1: 'long' },
    nothing: null,
    element: { '#text': '21', '@unit': 'C' },
    e_3001: { p_01: '0200' },
  };

  it.each([
    ['e_3001.p_01', '0200'],
    ['a.b.0.c', 1],
    ['a.b.1', 'long'],
    ['a.x.y.z', 2],
    ['a.x.q', 3],
    ['nothing', null],
    ['element', '21'],
    ['element.@unit', 'C'],
    ['nothing.more', undefined],
    ['missing', undefined],
    ['a.b.7', undefined],
    ['a.b.length', 1],
    ['constructor', undefined],
    ['a.__proto__', undefined],
  ])('%s', (path, expected) => {
    expect(walk(value, path)).toEqual(expected);
  });
});

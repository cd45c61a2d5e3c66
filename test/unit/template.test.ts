import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate, Decimal, templateMistake } from '../../gateway/devices/template.ts';
import { StartError } from '../../gateway/domain/errors.ts';

const render = (source: string, variables = {}) => compileTemplate(source, 'test').render(variables);
const evaluate = (source: string, variables = {}) => compileTemplate(source, 'test').evaluate(variables);
const value = (source: string, variables = {}) => {
  const result = evaluate(source, variables);
  return result.ok ? result.value : new Error(result.detail);
};

describe('a value keeps its type', () => {
  it.each([
    ['{{ x }}', { x: 22 }, 22],
    ['{{ x }}', { x: 22.5 }, 22.5],
    ['{{ x }}', { x: true }, true],
    ['{{ x }}', { x: '22' }, '22'],
    ['{{ x }}', { x: null }, null],
    ['{{ x }}', { x: '' }, ''],
    ['{{ x.y }}', { x: {} }, undefined],
    ['{{ x }}', {}, undefined],
    ['{{ x }}', { x: undefined }, undefined],
    ['{{- x -}}', { x: 1 }, 1],
    [' {{ x }}\n', { x: 1 }, 1],
    ["{{ {'a': {'b': x}} }}", { x: 1 }, { a: { b: 1 } }],
    ["{{ {'a': none} }}", {}, { a: null }],
    ["{{ '}}' }}", {}, '}}'],
    ['{{ [x, 2] }}', { x: 1 }, [1, 2]],
    ['{{ x if x is defined }}', {}, undefined],
    ['{{ x }}{{ y }}', { x: 1, y: 2 }, '12'],
    ['{{ x }} %', { x: 1 }, '1 %'],
    ['{{ x.error is defined }}', { x: { error: 1 } }, true],
    ["{{ 'ret=OK' not in value }}", { value: 'ret=NG' }, true],
  ])('%s with %j', (source, variables, expected) => {
    expect(value(source, variables)).toEqual(expected);
  });
});

describe('numbers', () => {
  it('prints a decimal with its point in text, and calculates with it', () => {
    const want = { target_temperature: new Decimal(22), hvac_mode: 'cool' };
    expect(render('t={{ want.target_temperature }};m={{ want.hvac_mode }}', { want })).toEqual({
      ok: true,
      text: 't=22.0;m=cool',
    });
    expect(render('{{ value }}', { value: new Decimal(22) })).toEqual({ ok: true, text: '22.0' });
    expect(value('{{ want.target_temperature + 1 }}', { want })).toBe(23);
    expect(value('{{ want.target_temperature }}', { want })).toBe(22);
    expect(value('{{ want.fan_mode }}', { want })).toBeUndefined();
  });

  it.each([
    ['{"brightness": {{ value }}}', 200, '{"brightness": 200}'],
    ['{{ (value | float * 10 + 2731.5) | int }}', 16, '2891'],
    ['{{ value }}', 20.3, '20.3'],
    ['{{ value | int }}', '24.0', '24'],
    ['{{ value | int(base=16) }}', '1A', '26'],
    ['{{ value | int(7, base=16) }}', 'zz', '7'],
    ['{{ value | float(1) }}', '--', '1'],
    ['{{ value | round }}', 22.5, '22'],
    ['{{ value | round }}', 23.5, '24'],
    ['{{ value | round(1) }}', 21.25, '21.2'],
    ["{{ value | round(0, 'floor') }}", 22.9, '22'],
    ["{{ '%05.1f' | format(value) }}", 3.125, '003.1'],
    ["{{ '%02X' | format(value) }}", 10, '0A'],
  ])('%s of %j', (source, given, text) => {
    expect(render(source, { value: given })).toEqual({ ok: true, text });
  });
});

describe('methods', () => {
  it.each([
    ["{{ d.get('a', 'x') }}", 'x'],
    ["{{ d.get('b', 'x') }}", 1],
    ["{{ d.get('n', 'x') }}", null],
    ["{{ d.get('a', {}).get('b', 3) + 1 }}", 4],
    ["{{ d.get('b') }}", 1],
    ["{{ \".get('a', 'x')\" }}", ".get('a', 'x')"],
    ["{{ ['lo', 'hi'].index('hi') }}", 1],
  ])('%s', (source, expected) => {
    expect(value(source, { d: { b: 1, n: null } })).toEqual(expected);
  });
});

describe('faults', () => {
  it.each(['{{ x', '{% if x %}', '{{ x | }}', '{% nonesuch %}'])('names where the syntax of %s is wrong', (source) => {
    expect(() => compileTemplate(source, 'devices.ac.requests.apply')).toThrow(
      /^devices\.ac\.requests\.apply: the template cannot be read: .+/,
    );
    expect(() => compileTemplate(source, 'x')).toThrow(StartError);
  });

  it('refuses a template that is too long', () => {
    expect(() => compileTemplate('x'.repeat(16_385), 'x')).toThrow(/at most 16384/);
  });

  it.each([
    ['{{ x.y.z }}', /undefined/],
    ['{{ x | nonesuch }}', /nonesuch/],
    ["{{ 'a' | int }}", /no number/],
    ['{{ x.y | is_defined }}', /not defined/],
    ['{{ nonesuch() }}', /nonesuch/],
    ["{% include 'other' %}", /other/],
    ["{{ '%d' | format('a') }}", /format/],
  ])('answers %s with a reason', (source, detail) => {
    for (const result of [render(source, { x: {} }), evaluate(source, { x: {} })]) {
      expect(result).toMatchObject({ ok: false, detail: expect.stringMatching(detail) });
    }
  });

  // Each of these would take the daemon down in an engine without limits.
  it.each([
    ['{% for i in range(99999) %}{% for i in range(99999) %}{% endfor %}{% endfor %}'],
    ['{{ "a" * many }}'],
    ['{{ "a" * 100000 }}'],
    ['{% set ns = namespace(x="a") %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}'],
    ['{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}'],
  ])('survives %s', (source) => {
    expect(render(source, { many: 1_000_000_000 })).toMatchObject({ ok: false });
    expect(render('{{ 1 + 1 }}')).toEqual({ ok: true, text: '2' });
  });

  // None of them runs out of fuel soon: each step of theirs takes milliseconds.
  it.each([
    '{% set ns = namespace(x="a"*20000) %}{% for i in range(7) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{% for i in range(500) %}{% set y = ns.x|upper|lower|upper|lower|upper %}{% endfor %}',
    '{% set l = range(90000)|list %}{% for i in range(900) %}{% set y = l|sort %}{% endfor %}',
    '{% set l = range(90000)|list %}{% for i in range(900) %}{% set y = l|reverse|sort|unique|list %}{% endfor %}',
    '{% for i in range(900) %}{% set y = many_words|upper|lower %}{% endfor %}',
  ])('breaks off %.60s well within a second, and lets it rest', (source) => {
    const template = compileTemplate(source, 'x');
    const variables = { value: 'x', many_words: 'word '.repeat(50_000) };
    const time = () => {
      const before = process.cpuUsage();
      const result = template.render(variables);
      const { user } = process.cpuUsage(before);
      return { result, ms: user / 1000 };
    };
    const first = time();
    expect(first.result).toMatchObject({ ok: false, detail: expect.stringMatching(/takes longer|exhausts/) });
    expect(first.ms).toBeLessThan(1_000);
    const second = time();
    expect(second.result).toMatchObject({ ok: false, detail: expect.stringContaining('rests') });
    expect(second.ms).toBeLessThan(50);
    expect(render('{{ 1 + 1 }}')).toEqual({ ok: true, text: '2' });
  });

  it('leaves nothing broken behind for the garbage collector', async () => {
    for (let run = 0; run < 20; run += 1) expect(render('{{ "a" * many }}', { many: 1_000_000_000 }).ok).toBe(false);
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    for (let run = 0; run < 5; run += 1) {
      if (typeof collect === 'function') collect();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(render('{{ 1 + 1 }}')).toEqual({ ok: true, text: '2' });
  });

  it('reads a source that is nothing but calls in good time', () => {
    for (const source of [`{{ x${'.get(1,2)'.repeat(1700)} }}`, `{{ x${'.get('.repeat(3000)}`]) {
      const before = process.cpuUsage();
      templateMistake(source);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
    }
  });

  it.each([['{{ "a" * 1000000000 }}'], [`{{ ${'-'.repeat(15_000)}1 }}`]])('refuses %.20s at once', (source) => {
    expect(() => compileTemplate(source, 'x')).toThrow(/exhausts its limits/);
    expect(render('{{ 1 + 1 }}')).toEqual({ ok: true, text: '2' });
  });

  it('is rendered where the machine had no time for it, and does not rest', () => {
    const template = compileTemplate('{% for each in value_json.of.list %}{{ each }}{% endfor %}', 'test');
    const held = () => {
      const began = process.cpuUsage();
      let used = 0;
      while (used < 40_000) {
        const { user, system } = process.cpuUsage(began);
        used = user + system;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 180);
      return [1, 2];
    };
    const message = {
      get list() {
        return held();
      },
    };
    expect(template.render({ value_json: { of: message } })).toEqual({ ok: true, text: '12' });
    expect(template.render({ value_json: { of: { list: [3] } } })).toEqual({ ok: true, text: '3' });
  });

  it('survives values that are nested too deeply', () => {
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    expect(render('{{ x }}', { x: deep })).toMatchObject({ ok: false });
    expect(value("{{ d.get('b', 1) | is_defined }}", { d: {} })).toBe(1);
  });

  it('runs no code of a template', () => {
    expect(value("{{ ''.constructor }}")).toBeUndefined();
    expect(value('{{ x.__proto__ }}', { x: {} })).toBeUndefined();
    expect(render("{{ ''.constructor.constructor('return process')() }}")).toMatchObject({ ok: false });
    expect(render('{{ debug() }}')).toMatchObject({ ok: false });
  });

  it('never throws, whatever the filters are given', () => {
    const filters = ['int', 'float', 'round', 'format', 'to_json', 'from_json', 'iif', 'is_defined', 'is_number'];
    fc.assert(
      fc.property(fc.constantFrom(...filters), fc.jsonValue(), fc.jsonValue(), (filter, x, y) => {
        for (const source of [`{{ x | ${filter} }}`, `{{ x | ${filter}(y) }}`, `{{ x | ${filter}(y, y) }}`]) {
          expect(typeof evaluate(source, { x, y }).ok).toBe('boolean');
        }
        expect(value('{{ 1 + 1 }}')).toBe(2);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { compileSpec } from '../../gateway/devices/device-spec.ts';
import { compileTemplate } from '../../gateway/devices/template.ts';
import { deviceWord } from '../../gateway/devices/wants.ts';
import type { FieldSpec } from '../../gateway/domain/field.ts';
import { deviceConfig } from '../support/http-device.ts';

const http = { base: 'http://192.0.2.40', min_gap: '2s' };
const requests = { status: { get: '/s' }, apply: { post: '/c', json: {} } };

function compile(fields: Record<string, Record<string, unknown>>, rest: Record<string, unknown> = {}) {
  return compileSpec('ac', deviceConfig({ http, requests, fields, ...rest }));
}

function field(name: string, written: Record<string, unknown>): FieldSpec {
  const spec = compile({ [name]: { write: 'apply', read: { request: 'status', path: name }, ...written } }).fields[
    name
  ];
  if (!spec) throw new Error('the field is missing');
  return spec;
}

describe('what a field is compared as', () => {
  it.each([
    ['target_temperature', {}, { type: 'number', tolerance: 0 }],
    ['target_temperature', { step: 0.5 }, { type: 'number', tolerance: 0.25 }],
    ['target_temperature', { step: 0.5, tolerance: 1 }, { type: 'number', tolerance: 1 }],
    ['speed', {}, { type: 'option' }],
    ['speed', { min: 1, max: 3 }, { type: 'number', tolerance: 0 }],
    ['speed', { unit: '%' }, { type: 'number', tolerance: 0 }],
    ['speed', { scale: 0.1 }, { type: 'number', tolerance: 0 }],
    ['percentage', { map: { 1: 33, 2: 66, 3: 100 } }, { type: 'number', tolerance: 0 }],
    ['percentage', { map: { 1: 'low', 2: 'high' } }, { type: 'option' }],
    ['fan_mode', { options: [1, 2, 'auto'] }, { type: 'option' }],
  ])('%s with %j', (name, written, expected) => {
    expect(field(name, written).compare).toEqual(expected);
  });
});

describe('a device', () => {
  it('is described without its protocol', () => {
    const spec = compile(
      {
        power: { write: 'apply', read: { request: 'status' } },
        hvac_mode: { write: 'apply' },
        current_temperature: { read: { request: 'status' } },
      },
      { name: 'Office AC', area: 'Office', order: ['hvac_mode'], verify: { deadline: '9s', poll: ['1s'] } },
    );
    expect(spec).toMatchObject({
      id: 'ac',
      name: 'Office AC',
      area: 'Office',
      order: ['hvac_mode', 'power', 'current_temperature'],
      minGapMs: 2000,
      verify: { deadlineMs: 9000, pollMs: [1000], level: 3, resend: 0 },
    });
    expect(spec.fields['power']).toMatchObject({
      writable: true,
      readback: { readable: true, push: false, askable: true },
    });
    expect(spec.fields['hvac_mode']?.readback).toEqual({
      readable: false,
      push: false,
      askable: false,
      ackable: false,
    });
    expect(spec.fields['current_temperature']?.writable).toBe(false);
  });

  it('names the template that cannot be read', () => {
    expect(() => field('target_temperature', { applies_when: '{{ hvac_mode ==' })).toThrow(
      /^devices\.ac\.fields\.target_temperature\.applies_when: /,
    );
  });
});

describe('applies_when', () => {
  const by = (applies_when: unknown) =>
    compile({ target_temperature: { write: 'apply', applies_when }, hvac_mode: {}, power: {} }).fields[
      'target_temperature'
    ];

  it('as a map holds where every field has one of its words', () => {
    const spec = by({ hvac_mode: ['cool', 'heat'], power: 'on' });
    expect(spec?.appliesText).toBe('hvac_mode is cool or heat and power is on');
    expect(spec?.applies?.({ hvac_mode: 'Cool', power: 'on' })).toBe(true);
    expect(spec?.applies?.({ hvac_mode: 'fan_only', power: null })).toBe(false);
    expect(spec?.applies?.({ hvac_mode: 'cool', power: null })).toBeNull();
    expect(spec?.applies?.({})).toBeNull();
  });

  it('as a template is asked only where everything it names is known', () => {
    const spec = by("{{ hvac_mode in ['cool', 'heat'] }}");
    expect(spec?.applies?.({ hvac_mode: 'cool' })).toBe(true);
    expect(spec?.applies?.({ hvac_mode: 'dry' })).toBe(false);
    expect(spec?.applies?.({ power: 'on' })).toBeNull();
    expect(spec?.applies?.({ hvac_mode: null })).toBeNull();
  });
});

describe('the word a device is told', () => {
  const text = (spec: FieldSpec, value: string | number) =>
    compileTemplate('{{ value }}', 'test').render({ value: deviceWord(spec, value) });

  it.each([
    ['target_temperature', { step: 0.5 }, 22, '22.0'],
    ['target_temperature', { step: 1 }, 22, '22'],
    ['target_temperature', {}, 20.3, '20.3'],
    ['target_temperature', { step: 0.5, scale: 0.1 }, 22.5, '225'],
    ['target_temperature', { step: 0.5, scale: 10 }, 20, '2.0'],
    ['hvac_mode', { map: { '0200': 'cool' } }, 'cool', '0200'],
  ])('%s %j: %j is told as %s', (name, written, value, expected) => {
    expect(text(field(name, written), value)).toEqual({ ok: true, text: expected });
  });
});

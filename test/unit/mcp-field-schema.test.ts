import { describe, expect, it } from 'vitest';
import { fieldSchema, writableFields } from '../../gateway/mcp/field-schema.ts';
import { DEMO_AC, DEMO_FAN, number, words } from '../support/demo-devices.ts';

describe('the schema of a field', () => {
  it('offers the words of every device that has it, once', () => {
    const schema = fieldSchema([words('fan_mode', ['auto', 'low']), words('fan_mode', ['low', 'turbo'])]);
    expect(schema).toEqual({ type: 'string', enum: ['auto', 'low', 'turbo'] });
  });

  it('offers the words of a map where there are no options', () => {
    const { options, ...field } = words('power', []);
    const map = [
      ['1', 'on'],
      ['0', 'off'],
    ] as const;
    expect(fieldSchema([{ ...field, map }])).toEqual({ type: 'string', enum: ['on', 'off'] });
  });

  it('takes any word as soon as one device does', () => {
    const { options, ...any } = words('effect', []);
    expect(fieldSchema([any, words('effect', ['rainbow'])])).toEqual({ type: 'string' });
  });

  it('spans the widest range, also over limits that depend on a mode', () => {
    const heats = { ...number('target_temperature', 16, 30, 'C'), maxBy: { hvac_mode: { heat: 35 } } };
    expect(fieldSchema([heats, number('target_temperature', 10, 28, 'C')])).toEqual({
      type: 'number',
      minimum: 10,
      maximum: 35,
      description: '°C',
    });
  });

  it('sets no limit where one device has none', () => {
    const { max, ...open } = number('position', 0, 100, '%');
    expect(fieldSchema([open, number('position', 0, 100, '%')])).toEqual({
      type: 'number',
      minimum: 0,
      description: '%',
    });
  });

  it('names both units, and both types, where devices differ', () => {
    const units = fieldSchema([number('target_temperature', 16, 30, 'C'), number('target_temperature', 60, 90, 'F')]);
    expect(units).toMatchObject({ description: '°C or °F' });
    expect(fieldSchema([number('percentage', 0, 100, '%'), words('percentage', ['low'])])).toEqual({
      type: ['number', 'string'],
    });
  });
});

it('lists what can be written on any of the devices, and nothing that can only be read', () => {
  expect(Object.keys(writableFields([DEMO_AC]))).not.toContain('current_temperature');
  expect(Object.keys(writableFields([DEMO_FAN, DEMO_AC])).sort()).toEqual([
    'fan_mode',
    'hvac_mode',
    'percentage',
    'power',
    'swing_horizontal_mode',
    'swing_mode',
    'target_temperature',
  ]);
});

import { describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { profileNames, readProfile } from '../../gateway/config/profiles.ts';
import { toPlain } from '../../gateway/config/source-tree.ts';

function profile(name: string) {
  const read = readProfile(name);
  if ('problems' in read) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.profile;
}

/** A value for every variable, as a person would give it. */
function sampleValues(name: string): Record<string, string> {
  const asked = Object.entries(profile(name).variables).filter(([, { default: fallback }]) => fallback === undefined);
  return Object.fromEntries(asked.map(([variable]) => [variable, variable === 'base' ? 'http://192.0.2.1' : 'x']));
}

describe('every shipped profile', () => {
  it('is found', () => {
    expect(profileNames()).toEqual(expect.arrayContaining(['daikin/brp069', 'esphome/fan']));
  });

  it.each(profileNames())('%s gives a device without a mistake', (name) => {
    const device = parseDevice({ use: name, with: sampleValues(name) });
    expect(Object.keys(device.fields)).not.toEqual([]);
    expect(JSON.stringify(device)).not.toContain('${');
  });

  it.each(profileNames())('%s describes exactly the variables that it uses', (name) => {
    const { device, variables } = profile(name);
    const used = [...JSON.stringify(toPlain(device)).matchAll(/\$\{(\w+)\}/g)].map(([, variable]) => variable);
    expect([...new Set(used)].sort()).toEqual(Object.keys(variables).sort());
    for (const { description } of Object.values(variables)) expect(description.length).toBeGreaterThan(10);
  });

  it.each(profileNames())('%s can verify every field it writes', (name) => {
    const written = toPlain(profile(name).device) as { verify?: { deadline?: string; poll?: unknown } };
    expect(written.verify?.deadline, 'its timing is its own, not a default').toBeDefined();
    const { fields, verify } = parseDevice({ use: name, with: sampleValues(name) });
    for (const [field, { write, read, read_only }] of Object.entries(fields)) {
      expect(read, `${field} is read back`).toBeDefined();
      expect(write !== undefined || read_only, `${field} is written, or said to be read-only`).toBe(true);
    }
    const direct = Object.values(fields).some(({ read }) => read?.request !== undefined);
    if (direct) expect(verify.poll, 'what is read by request is polled').not.toEqual([]);
  });
});

describe('a device that uses a profile', () => {
  const porch = { use: 'esphome/fan', with: { base: 'http://192.0.2.41', entity: 'Porch Fan' } };

  it('gets the variables in every text, with their types', () => {
    const fan = parseDevice({ ...porch, with: { ...porch.with, speed_step: 25 } }, 'porch_fan');
    expect(fan.name).toBe('Porch fan');
    expect(fan.requests['status']).toMatchObject({ method: 'GET', path: '/fan/Porch Fan' });
    expect(fan.fields['percentage']).toMatchObject({ step: 25, min: 25 });
  });

  it('lays its own keys over the profile, key by key', () => {
    const fan = parseDevice({
      ...porch,
      area: 'Porch',
      http: { min_gap: '1s' },
      fields: { power: { approval: 'always' } },
    });
    expect(fan.http).toEqual({ base: 'http://192.0.2.41', timeout: 5000, min_gap: 1000, parallel: 4 });
    expect(fan.fields['power']).toMatchObject({ write: 'turn', approval: { type: 'always' } });
    expect(fan.area).toBe('Porch');
  });

  it.each([
    [
      { use: 'esphome/fun' },
      /use: no such profile; did you mean "esphome\/fan"\? profiles are: daikin\/brp069, esphome\/fan/,
    ],
    [{ use: 'esphome/fan', with: { base: 'http://192.0.2.41' } }, /with\.entity: is missing: the fan's name/],
    [{ ...porch, with: { ...porch.with, entty: 'x' } }, /with\.entty: unknown; did you mean "entity"\?/],
    [{ ...porch, with: { ...porch.with, base: 'fan.local' } }, /http\.base: must be an address such as/],
  ])('is refused where the profile cannot be taken in: %j', (device, message) => {
    expect(() => parseDevice(device)).toThrow(message);
  });

  it('says nothing of what follows from a profile that failed', () => {
    expect(() => parseDevice({ use: 'nowhere/fan' })).toThrow(/^[^\n]*no such profile[^\n]*$/);
  });
});

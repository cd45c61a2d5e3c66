import { describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { compileHttpPlan } from '../../gateway/devices/http-plan.ts';
import { compileRequest } from '../../gateway/devices/http-request.ts';
import { decodePayload } from '../../gateway/devices/payload.ts';

/** What a request of a profile's device becomes on the wire. */
function onTheWire(device: Record<string, unknown>, request: string, variables: Record<string, unknown>) {
  const config = parseDevice(device).requests[request];
  if (!config) throw new Error(`there is no request ${request}`);
  const built = compileRequest(request, config, request).build(variables);
  if (!built.ok) throw new Error(built.detail);
  const { method, path, body } = built.request;
  return { line: `${method} ${path}`, body };
}

describe('esphome/fan', () => {
  const fan = { use: 'esphome/fan', with: { base: 'http://192.0.2.1', entity: 'Porch Fan', speed_step: 33.333 } };

  it.each([
    ['turn', { power: 'ON' }, 'POST /fan/Porch Fan/turn_on'],
    ['turn', { power: 'OFF' }, 'POST /fan/Porch Fan/turn_off'],
    ['set_speed', { percentage: 66.666 }, 'POST /fan/Porch Fan/turn_on?speed_level=2'],
    ['set_speed', { percentage: 99.999 }, 'POST /fan/Porch Fan/turn_on?speed_level=3'],
  ])('%s %j', (request, want, line) => {
    expect(onTheWire(fan, request, { want })).toEqual({ line, body: '' });
  });
});

describe('esphome/fan, by its events', () => {
  const spelt = (entity: string) => parseDevice({ use: 'esphome/fan', with: { base: 'http://192.0.2.1', entity } });

  it.each<[string, object, boolean]>([
    ['Porch Fan', { id: 'fan/Porch Fan' }, true],
    ['Porch Fan', { id: 'fan-porch_fan', name_id: 'fan/Porch Fan' }, true],
    ['Porch Fan', { id: 'fan-porch_fan' }, true],
    ['porch_fan', { id: 'fan-porch_fan' }, true],
    [`Kid's "Fan"`, { id: `fan/Kid's "Fan"` }, true],
    ['Porch Fan', { id: 'fan/Porch Fan 2', name_id: 'fan/Porch Fan 2' }, false],
    ['Porch Fan', { id: 'sensor-porch_fan' }, false],
    ['Porch Fan', { title: 'porch' }, false],
  ])('%s is meant by %j: %s', (entity, event, isMeant) => {
    const [stream] = compileHttpPlan('fan', spelt(entity)).streams;
    const { payload } = decodePayload('json', JSON.stringify(event));
    expect(stream?.matches(payload)).toBe(isMeant);
  });
});

describe('daikin/brp069', () => {
  const ac = { use: 'daikin/brp069', with: { base: 'http://192.0.2.2' } };
  const cooling = {
    pow: '1',
    mode: '3',
    stemp: '22.0',
    shum: '0',
    dt2: 'M',
    dt3: '22.0',
    dt4: '24.5',
    dh3: '0',
    f_rate: 'A',
    f_dir: '0',
  };
  const blowing = { ...cooling, mode: '6', stemp: '--', shum: '--' };

  it.each([
    [
      'a setpoint, the rest as it is',
      { target_temperature: '24.0' },
      cooling,
      'pow=1&mode=3&stemp=24.0&shum=0&f_rate=A&f_dir=0',
    ],
    [
      'a mode, with the setpoint that the unit keeps for it',
      { hvac_mode: '4' },
      cooling,
      'pow=1&mode=4&stemp=24.5&shum=0&f_rate=A&f_dir=0',
    ],
    [
      'dry, whose kept setpoint is no number',
      { hvac_mode: '2' },
      cooling,
      'pow=1&mode=2&stemp=25.0&shum=0&f_rate=A&f_dir=0',
    ],
    ['a fan speed while it only blows', { fan_mode: '5' }, blowing, 'pow=1&mode=6&stemp=25.0&shum=0&f_rate=5&f_dir=0'],
    ['off', { power: '0' }, cooling, 'pow=0&mode=3&stemp=22.0&shum=0&f_rate=A&f_dir=0'],
  ])('sends %s', (_, want, state, query) => {
    expect(onTheWire(ac, 'apply', { want, state }).line).toBe(`GET /aircon/set_control_info?${query}`);
  });

  it('sends no fan parameters to a unit that has none', () => {
    const { f_rate: _rate, f_dir: _dir, ...plain } = cooling;
    const { line } = onTheWire(ac, 'apply', { want: { power: '1' }, state: plain });
    expect(line).toBe('GET /aircon/set_control_info?pow=1&mode=3&stemp=22.0&shum=0');
  });
});

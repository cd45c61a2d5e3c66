import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { InputError, UnknownError } from '../../simulator/core/errors.ts';
import { FAULT_NAMES, FAULTS } from '../../simulator/core/faults.ts';
import { SimulatedHome } from '../../simulator/core/home.ts';
import { HTTP_MODELS } from '../../simulator/core/models.ts';
import { ManualClock } from '../support/simulator-clock.ts';

const timing = { delay_ms: 1_000, jitter_ms: 0 };

function simulate() {
  const clock = new ManualClock();
  const home = new SimulatedHome({ models: HTTP_MODELS, clock, timing, seed: 1 });
  return { clock, home, ac: home.device('ac'), fan: home.device('fan') };
}

let { clock, home, ac, fan } = simulate();
beforeEach(() => {
  ({ clock, home, ac, fan } = simulate());
});

const shown = () => ac.report().values['temperature'];

/** What the sensors show after each of these waits. */
function watch(waitsMs: readonly number[]): unknown[] {
  return waitsMs.map((ms) => {
    clock.advance(ms);
    return shown();
  });
}

describe('faults of a command', () => {
  test('ignore: accepts and never acts', () => {
    home.arm('ac', 'ignore');
    expect(ac.receive({ temperature: 26 }).type).toBe('received');
    expect(clock.waiting).toBe(0);
    expect(watch([60_000])).toEqual([24]);
  });

  test('clamp: stops between the old number and the wanted one', () => {
    home.arm('ac', 'clamp');
    ac.receive({ temperature: 27 });
    expect(watch([1_000])).toEqual([25]);
  });

  test('clamp: numbers strictly between, words at a third one', () => {
    const numbers = fc.tuple(fc.integer({ min: 16, max: 30 }), fc.integer({ min: 16, max: 30 }));
    fc.assert(
      fc.property(numbers, ([from, to]) => {
        const world = simulate();
        world.ac.configure({ state: { temperature: from } });
        world.home.arm('ac', 'clamp');
        world.ac.receive({ temperature: to, vertical: 'FAR' });
        world.clock.advance(1_000);
        const { temperature, vertical } = world.ac.view().state;
        if (from === to) expect(temperature).toBe(to);
        else {
          expect(temperature).toBeGreaterThan(Math.min(from, to));
          expect(temperature).toBeLessThan(Math.max(from, to));
        }
        expect(['AUTO', 'FAR']).not.toContain(vertical);
      }),
    );
  });

  test('clamp: stays where nothing lies between', () => {
    home.arm('fan', 'clamp');
    fan.receive({ speed: 4, power: 'ON' });
    clock.advance(1_000);
    expect(fan.view().state).toMatchObject({ speed: 3, power: 'OFF' });
  });

  test('ramp: numbers in steps that begin after the delay, words at once', () => {
    home.arm('ac', 'ramp', { step: 2, every_ms: 500 });
    ac.receive({ temperature: 29, mode: 'DRY' });
    expect(watch([999, 1, 499, 1, 500, 10_000])).toEqual([24, 26, 26, 28, 29, 29]);
    expect(home.truth('ac').counts['ac']).toMatchObject({ actuations: 3 });
    expect(ac.view().state['mode']).toBe('DRY');
  });

  test('ramp: goes down as well, without the noise of binary fractions', () => {
    home.arm('ac', 'ramp', { step: 0.1, every_ms: 100 });
    ac.receive({ temperature: 23.6 });
    expect(watch([1_000, 100, 100, 100, 100])).toEqual([23.9, 23.8, 23.7, 23.6, 23.6]);
  });

  test('ramp: a newer command takes over what is left of it', () => {
    home.arm('ac', 'ramp', { times: 1, every_ms: 1_000 });
    ac.receive({ temperature: 30 });
    clock.advance(1_500);
    ac.receive({ temperature: 20 });
    expect(watch([500, 500, 60_000])).toEqual([26, 20, 20]);
  });

  test('revert: acts and goes back', () => {
    home.arm('ac', 'revert', { after_ms: 2_000 });
    ac.receive({ temperature: 26 });
    expect(watch([1_000, 1_999, 1])).toEqual([26, 26, 24]);
  });

  test('revert: what a newer command set stays', () => {
    home.arm('ac', 'revert', { times: 1, after_ms: 2_000 });
    ac.receive({ temperature: 26, mode: 'HEAT' });
    clock.advance(1_000);
    ac.receive({ temperature: 28 });
    clock.advance(60_000);
    expect(ac.view().state).toMatchObject({ temperature: 28, mode: 'COOL' });
  });

  test('stale_read: the truth moves before the sensors do', () => {
    home.arm('ac', 'stale_read', { for_ms: 2_000 });
    ac.receive({ temperature: 26 });
    clock.advance(1_000);
    expect(ac.view().state['temperature']).toBe(26);
    expect(watch([1_999, 1])).toEqual([24, 26]);
  });

  test('echo: the wanted value at once, then the old one, then the truth', () => {
    home.arm('ac', 'echo', { for_ms: 400 });
    ac.receive({ temperature: 26 });
    expect(watch([0, 399, 1, 599, 1])).toEqual([26, 26, 24, 24, 26]);
  });

  test('echo and ignore: shown for a while, and never true', () => {
    home.arm('ac', 'echo', { for_ms: 1_500 });
    home.arm('ac', 'ignore');
    ac.receive({ temperature: 26 });
    expect(watch([1_499, 1, 60_000])).toEqual([26, 24, 24]);
  });

  test('echo and clamp: the echo ends when it really acts', () => {
    home.arm('ac', 'echo', { for_ms: 5_000 });
    home.arm('ac', 'clamp');
    ac.receive({ temperature: 26 });
    expect(watch([999, 1])).toEqual([26, 25]);
  });

  test('duplicate: executes twice, which undoes what came between', () => {
    home.arm('ac', 'duplicate', { times: 1, after_ms: 3_000 });
    ac.receive({ temperature: 26 });
    clock.advance(1_000);
    ac.receive({ temperature: 28 });
    expect(watch([1_000, 2_000])).toEqual([28, 26]);
    expect(home.truth('ac').counts['ac']).toMatchObject({ commands: 2, actuations: 3 });
  });

  test.each([
    ['http_500', 'failure', 24],
    ['error_in_200', 'error', 24],
    ['lost_answer', 'none', 26],
  ] as const)('%s: answers with %s, and stands at %d afterwards', (fault, type, temperature) => {
    home.arm('ac', fault);
    expect(ac.receive({ temperature: 26 }).type).toBe(type);
    expect(watch([60_000])).toEqual([temperature]);
  });

  test('slow: only the answer is late', () => {
    home.arm('ac', 'slow', { by_ms: 2_500 });
    expect(ac.receive({ temperature: 26 })).toMatchObject({ type: 'received', afterMs: 2_500 });
    expect(watch([1_000])).toEqual([26]);
  });
});

describe('faults of the link and of the sensors', () => {
  test('offline: lets nothing through until it is cleared', () => {
    home.arm('ac', 'offline');
    expect(ac.admit('command')).toBe(false);
    expect(ac.admit('sensors')).toBe(false);
    expect(fan.admit('sensors')).toBe(true);
    home.clear('ac', 'offline');
    expect(ac.admit('command')).toBe(true);
    expect(home.truth('ac').counts['ac']).toMatchObject({ lost_requests: 2, commands: 0 });
  });

  test('offline for one command: reads do not use it up', () => {
    home.arm('ac', 'offline', { times: 1 });
    expect([ac.admit('sensors'), ac.admit('sensors'), ac.admit('command'), ac.admit('command')]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('garbled: spoils as many sensor answers as was asked for', () => {
    home.arm('ac', 'garbled', { times: 2 });
    ac.receive({ temperature: 26 });
    expect([1, 2, 3].map(() => ac.report().garbled)).toEqual([true, true, false]);
  });

  test('flap: down and up in turn, for as many outages as was asked for', () => {
    home.arm('ac', 'flap', { times: 2, every_ms: 500 });
    const states = [0, 499, 1, 499, 1, 499, 1, 60_000].map((ms) => {
      clock.advance(ms);
      return ac.reachable;
    });
    expect(states).toEqual([false, false, true, true, false, false, true, true]);
    expect(ac.view().faults).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test('flap: clearing it brings the device back', () => {
    home.arm('ac', 'flap');
    home.clear('ac');
    expect(ac.reachable).toBe(true);
    expect(clock.waiting).toBe(0);
  });
});

describe('arming', () => {
  test('for one command: the next one is free of it', () => {
    home.arm('ac', 'ignore', { times: 1 });
    ac.receive({ temperature: 26 });
    ac.receive({ temperature: 28 });
    expect(watch([1_000])).toEqual([28]);
  });

  test('a command that makes no sense does not use a fault up', () => {
    home.arm('ac', 'ignore', { times: 1 });
    expect(() => ac.receive({ temperature: 99 })).toThrow(InputError);
    expect(ac.view().faults).toEqual([{ fault: 'ignore', times_left: 1, parameters: {} }]);
  });

  test('until it is cleared: a command that it applied to keeps it', () => {
    home.arm('ac', 'revert', { after_ms: 500 });
    ac.receive({ temperature: 26 });
    home.clear('ac', 'revert');
    ac.receive({ mode: 'DRY' });
    expect(watch([1_000, 500])).toEqual([26, 24]);
    expect(ac.view().state['mode']).toBe('DRY');
  });

  test('again: the newer parameters hold', () => {
    home.arm('ac', 'slow');
    home.arm('ac', 'slow', { by_ms: 70, times: 3 });
    expect(ac.view().faults).toEqual([{ fault: 'slow', times_left: 3, parameters: { by_ms: 70 } }]);
  });

  test.each([
    ['slow', { by_ms: -1 }, /by_ms/],
    ['slow', { by_ms: 1e9 }, /by_ms/],
    ['ignore', { by_ms: 5 }, /by_ms/],
    ['ramp', { step: 0 }, /step/],
    ['ignore', { times: 0 }, /times/],
  ])('refuses %s with %j', (fault, parameters, message) => {
    expect(() => home.arm('ac', fault, parameters)).toThrow(InputError);
    expect(() => home.arm('ac', fault, parameters)).toThrow(message);
  });

  test('refuses a fault that there is not, and lists those there are', () => {
    expect(() => home.arm('ac', 'explode')).toThrow(UnknownError);
    expect(() => home.arm('ac', 'constructor')).toThrow(/ignore, clamp/);
  });

  test.each(FAULT_NAMES)('%s can be armed without parameters and is described', (name) => {
    expect(home.arm('fan', name)).toMatchObject({ fault: name, times_left: null });
    expect(FAULTS[name].description).toMatch(/\.$/);
    for (const parameter of Object.values(FAULTS[name].parameters)) expect(parameter).toHaveProperty('default');
  });
});

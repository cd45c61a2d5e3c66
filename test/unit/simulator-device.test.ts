import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { InputError, UnknownError } from '../../simulator/core/errors.ts';
import { SimulatedHome } from '../../simulator/core/home.ts';
import { HTTP_MODELS } from '../../simulator/core/models.ts';
import type { ActuationEntry } from '../../simulator/core/truth.ts';
import { ManualClock } from '../support/simulator-clock.ts';

function simulate(timing = { delay_ms: 4_000, jitter_ms: 0 }, seed = 1) {
  const clock = new ManualClock();
  const home = new SimulatedHome({ models: HTTP_MODELS, clock, timing, seed });
  return { clock, home, ac: home.device('ac'), fan: home.device('fan') };
}

function actuations(home: SimulatedHome, id = 'ac'): readonly ActuationEntry[] {
  return home.truth(id).entries.filter((entry) => entry.type === 'actuation');
}

let { clock, home, ac, fan } = simulate();
beforeEach(() => {
  ({ clock, home, ac, fan } = simulate());
});

describe('a device without faults', () => {
  test('answers at once and acts when its delay is over, not before', () => {
    expect(ac.receive({ temperature: 26 })).toEqual({ type: 'received', afterMs: 0, received: { temperature: 26 } });
    clock.advance(3_999);
    expect(ac.report().values['temperature']).toBe(24);
    clock.advance(1);
    expect(ac.report().values['temperature']).toBe(26);
  });

  test('changes only the fields that were named', () => {
    const before = ac.report().values;
    ac.receive({ vertical: 'FAR' });
    clock.advance(4_000);
    expect(ac.report().values).toEqual({ ...before, vertical: 'FAR' });
  });

  test('takes ON and shows On', () => {
    fan.receive({ power: 'ON' });
    clock.advance(4_000);
    expect(fan.report().values['power']).toBe('On');
    expect(fan.view().state['power']).toBe('ON');
  });

  test('uses a new delay for the commands that follow', () => {
    home.setDelay('ac', 200);
    ac.receive({ temperature: 20 });
    fan.receive({ speed: 5 });
    clock.advance(200);
    expect(ac.view().state['temperature']).toBe(20);
    expect(fan.view().state['speed']).toBe(3);
  });

  test.each([
    [{}, /name at least one of power, temperature/],
    [{ temperature: 31 }, /temperature: .*30/],
    [{ temperature: '26' }, /temperature: .*number/],
    [{ power: 'On' }, /power: .*"ON"\|"OFF"/],
    [{ vertical: 'UP' }, /vertical: .*"MIDDLE"/],
    [{ speed: 3 }, /no field speed; there are power/],
    [{ room_temperature: 20 }, /no field room_temperature/],
    [[], /JSON object/],
    [undefined, /JSON object/],
  ])('refuses %j and says what it takes', (body, message) => {
    expect(() => ac.receive(body)).toThrow(InputError);
    expect(() => ac.receive(body)).toThrow(message);
    expect(home.truth('ac').counts['ac']).toMatchObject({ commands: 0, rejected: 2 });
    expect(clock.waiting).toBe(0);
  });

  test('refuses half a fan speed', () => {
    expect(() => fan.receive({ speed: 2.5 })).toThrow(/speed/);
  });

  test('can be changed by hand, measured fields too', () => {
    ac.configure({ state: { room_temperature: 31, power: 'OFF' } });
    expect(ac.report().values).toMatchObject({ room_temperature: 31, power: 'Off' });
    expect(actuations(home)[0]).toMatchObject({ command: null, changes: { power: { from: 'ON', to: 'OFF' } } });
  });

  test('is unknown under another name, and the error lists those there are', () => {
    expect(() => home.device('oven')).toThrow(UnknownError);
    expect(() => home.device('oven')).toThrow(/ac, fan/);
  });
});

describe('jitter', () => {
  const actedAfter = (seed: number) => {
    const world = simulate({ delay_ms: 1_000, jitter_ms: 500 }, seed);
    for (let speed = 1; speed <= 8; speed += 1) {
      world.fan.receive({ speed });
      world.clock.advance(2_000);
    }
    return actuations(world.home, 'fan').map((entry, index) => entry.mono_ms - index * 2_000);
  };

  test('only ever adds to the delay, and differs from command to command', () => {
    const delays = actedAfter(7);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...delays)).toBeLessThan(1_500);
    expect(new Set(delays).size).toBe(8);
  });

  test('is the same for the same seed and another one for another', () => {
    expect(actedAfter(7)).toEqual(actedAfter(7));
    expect(actedAfter(7)).not.toEqual(actedAfter(8));
  });

  test('never lets a command overtake an older one', () => {
    const command = fc.record({ speed: fc.integer({ min: 1, max: 8 }), gapMs: fc.integer({ min: 0, max: 300 }) });
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 12 }), fc.integer(), (commands, seed) => {
        const world = simulate({ delay_ms: 100, jitter_ms: 1_000 }, seed);
        for (const { speed, gapMs } of commands) {
          world.fan.receive({ speed });
          world.clock.advance(gapMs);
        }
        world.clock.advance(5_000);
        const order = actuations(world.home, 'fan').map((entry) => entry.command);
        expect(order).toEqual(commands.map((_, index) => index + 1));
        expect(world.fan.view().state['speed']).toBe(commands.at(-1)?.speed);
      }),
    );
  });
});

describe('the ground truth', () => {
  test('tells what was received when and what acted when, on both clocks', () => {
    clock.advance(1_000);
    home.arm('ac', 'duplicate', { times: 1, after_ms: 500 });
    ac.receive({ temperature: 26, mode: 'COOL' });
    clock.advance(10_000);
    const wall = 1_700_000_005_000;
    expect(home.truth('ac').entries).toEqual([
      {
        type: 'command',
        device: 'ac',
        command: 1,
        body: { temperature: 26, mode: 'COOL' },
        faults: ['duplicate'],
        mono_ms: 1_000,
        epoch_ms: wall + 1_000,
      },
      {
        type: 'actuation',
        device: 'ac',
        command: 1,
        changes: { temperature: { from: 24, to: 26 } },
        mono_ms: 5_000,
        epoch_ms: wall + 5_000,
      },
      { type: 'actuation', device: 'ac', command: 1, changes: {}, mono_ms: 5_500, epoch_ms: wall + 5_500 },
    ]);
    expect(home.truth('fan').entries).toEqual([]);
  });

  test('keeps a thousand entries and counts all', () => {
    home.setDelay('fan', 0);
    for (let n = 0; n < 1_500; n += 1) {
      fan.receive({ speed: 1 + (n % 8) });
      clock.advance(0);
    }
    const { entries, counts } = home.truth('fan');
    expect(entries).toHaveLength(1_000);
    expect(entries.at(-1)).toMatchObject({ type: 'actuation', command: 1_500 });
    expect(counts['fan']).toMatchObject({ commands: 1_500, actuations: 1_500 });
  });

  test('is heard as it happens', () => {
    const heard: string[] = [];
    const stop = home.truthLog.subscribe((entry) => heard.push(entry.type));
    ac.receive({ temperature: 26 });
    clock.advance(4_000);
    stop();
    ac.receive({ temperature: 27 });
    expect(heard).toEqual(['command', 'actuation']);
  });
});

test('a reset puts everything back, and nothing that was under way comes after it', () => {
  const start = home.view();
  home.arm('ac', 'flap');
  home.arm('fan', 'echo', { for_ms: 60_000 });
  home.setDelay('fan', 100);
  ac.receive({ temperature: 30 });
  fan.receive({ speed: 8 });
  ac.configure({ state: { mode: 'HEAT' } });
  home.reset();
  expect(home.view()).toEqual(start);
  expect(clock.waiting).toBe(0);
  clock.advance(60_000);
  expect(home.truth().entries).toEqual([]);
});

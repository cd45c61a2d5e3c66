import { describe, expect, it } from 'vitest';
import { Circuit, type Note } from '../../gateway/transports/circuit.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

function admitted(circuit: Circuit, urgent = false): Note {
  const note = circuit.admit(urgent);
  if (typeof note === 'string') throw new Error(note);
  return note;
}

/** A circuit after so many failures in a row, none of which had to wait. */
function failing(clock: VirtualClock, times: number): Circuit {
  const circuit = new Circuit(clock);
  for (let time = 0; time < times; time += 1) admitted(circuit, true)('ECONNREFUSED');
  return circuit;
}

describe('the circuit of a device', () => {
  it('lets everybody through until three attempts in a row have failed', () => {
    const clock = new VirtualClock();
    const circuit = failing(clock, 2);
    admitted(circuit)(undefined);
    for (let time = 0; time < 3; time += 1) admitted(circuit)('no answer within 5000 ms');
    expect(circuit.admit(false)).toBe(
      'not asked: the last 3 attempts failed (no answer within 5000 ms); the next one may leave in 1 s',
    );
  });

  it('then lets one through after a pause that doubles up to 15 s', async () => {
    const clock = new VirtualClock();
    const circuit = failing(clock, 3);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      await clock.pass(pauseMs - 1);
      expect(circuit.admit(false), `before ${pauseMs} ms`).toMatch(/may leave in 1 s$/);
      await clock.pass(1);
      admitted(circuit)('EHOSTUNREACH');
    }
  });

  it('lets nobody in beside a probe, whatever an urgent request finds meanwhile', async () => {
    const clock = new VirtualClock();
    const circuit = failing(clock, 3);
    await clock.pass(1_000);
    const probe = admitted(circuit);
    expect(circuit.admit(false)).toMatch(/one is under way$/);
    admitted(circuit, true)('ECONNREFUSED');
    await clock.pass(60_000);
    expect(circuit.admit(false)).toMatch(/one is under way$/);
    probe('no answer within 5000 ms');
    await clock.pass(15_000);
    admitted(circuit)(undefined);
  });

  it.each<[string, (circuit: Circuit) => void]>([
    ['an answer to a command', (circuit) => admitted(circuit, true)(undefined)],
    ['a stream that opens', (circuit) => circuit.heard()],
  ])('is whole again with %s', (_name, answer) => {
    const circuit = failing(new VirtualClock(), 9);
    answer(circuit);
    for (let time = 0; time < 2; time += 1) admitted(circuit)('ECONNREFUSED');
    admitted(circuit);
  });

  it('is never in the way of a command', () => {
    const circuit = failing(new VirtualClock(), 20);
    for (let time = 0; time < 20; time += 1) admitted(circuit, true)('ECONNREFUSED');
  });
});

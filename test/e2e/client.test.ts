import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TRAPS_VARIABLE } from '../../scripts/chaos/crash-points.ts';
import { type Program, startProgram } from '../../scripts/support/programs.ts';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

const PRELOAD = fileURLToPath(new URL('../../dist/scripts/chaos/crash-preload.js', import.meta.url));

let daemons: Daemons;

beforeEach(() => {
  daemons = new Daemons();
});
afterEach(() => daemons.close());

const where = () => ['--data', daemons.path('data'), '--client-data', daemons.path('client')];

/** A command of the client that is killed when its journal is synced for the so manieth time. */
function killed(passing: number, ...args: string[]): Program {
  const env = { NODE_OPTIONS: `--import=${PRELOAD}`, [TRAPS_VARIABLE]: `journal_synced:${passing}` };
  const program = startProgram('gateway/cli.js', args, env);
  daemons.atEnd(() => program.end());
  return program;
}

/** Commands that the device really received. */
const received = (simulator: Simulator) => simulator.home.truth('ac').counts['ac']?.commands;

const events = (program: Program) =>
  program
    .stdout()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('readback call', () => {
  it('forgets nothing, at whatever moment it is killed, and nothing is done twice', async () => {
    const simulator = await daemons.simulator(200);
    await daemons.gateway(simulator);
    const call = ['call', ...where(), 'ac'];
    // The wish, the call, the handle and the outcome are on disk in turn; after each of them it is killed.
    for (const [at, celsius] of [20, 21, 22, 23].entries()) {
      const victim = killed(at + 1, ...call, `target_temperature=${celsius}`);
      expect(await victim.exited).toMatchObject({ signal: 'SIGKILL' });
      const next = daemons.run('watch', ...where());
      expect(await next.exited, next.stderr()).toMatchObject({ code: 0 });
      const outcomeKnown = at === 3;
      expect(next.stderr()).toContain(outcomeKnown ? 'nothing is under way' : 'found 1 wish of an earlier command');
      if (!outcomeKnown) expect(events(next).at(-1)).toMatchObject({ event: 'ended', verdict: 'verified' });
      expect(received(simulator)).toBe(at + 1);
    }
  });

  it('tells the verdict by its exit code, and goes on with the same wish where it was left', async () => {
    const simulator = await daemons.simulator(200);
    const args = ['call', ...where(), '--within', '60s', 'ac', 'target_temperature=26'];
    await expect(killed(1, ...args).exited).resolves.toMatchObject({ signal: 'SIGKILL' });
    await daemons.gateway(simulator);
    const again = daemons.run(...args);
    expect(await again.exited, again.stderr()).toMatchObject({ code: 0 });
    expect(again.stderr()).toContain('this is the same wish');
    expect(received(simulator)).toBe(1);
    const refused = daemons.run('call', ...where(), 'ac', 'target_temperature=99');
    expect(await refused.exited).toMatchObject({ code: 14 });
    const late = daemons.run(
      'call',
      ...where(),
      '--data',
      daemons.path('nowhere'),
      '--within',
      '300ms',
      'ac',
      'power=on',
    );
    expect(await late.exited).toMatchObject({ code: 23 });
  });
});

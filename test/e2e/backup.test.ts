import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Daemons, settled, submit } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 120_000 });

let daemons: Daemons;

beforeEach(() => {
  daemons = new Daemons();
});

afterEach(() => daemons.close());

/** Runs a command to its end. */
async function run(...args: string[]) {
  const program = daemons.run(...args);
  const { code } = await program.exited;
  return { code, said: program.stdout() + program.stderr() };
}

it('backs up while the gateway runs, restores only while it does not, and tasks are answered as before', async () => {
  const simulator = await daemons.simulator(50);
  const [data, file] = [daemons.path('data'), daemons.path('home.backup')];
  const first = await daemons.gateway(simulator, data);
  const client = await daemons.client(first.url);
  const before = await submit(client, 26);
  const verdict = await settled(client, before);
  const backup = await run('backup', file, '--data', data);
  expect(backup).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^Backed up .*: \d+ records, 0 commands of the past/),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const after = await submit(client, 25);
  await settled(client, after);
  const whileItRuns = await run('restore', file, '--data', data);
  expect(whileItRuns).toMatchObject({ code: 1, said: expect.stringMatching(/is in use by process \d+: stop it/) });
  await first.program.end('SIGTERM');
  expect(await run('restore', file, '--data', data)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/What was there before lies in .*replaced-\d+\.$/m),
  });

  const second = await daemons.gateway(simulator, data);
  const again = await daemons.client(second.url);
  expect(await settled(again, before)).toEqual(verdict);
  expect(await settled(again, after)).toMatchObject({ ok: false });
});

import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Exit, type ListeningGateway, startGatewayProgram, startListeningProgram } from '../support/programs.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import type { Check } from './scenario.ts';
import { type ClientProgram, startClient } from './talk-client.ts';

/** How long the devices take to act, in ms. */
const DELAY_MS = 1_500;

/** The devices by the gateway's names, and by the simulator's. */
const DEVICES = { ac_1: 'ac', ac_2: 'ac_2', ac_3: 'ac_3', ac_4: 'ac_4' } as const;

/** Hears of every step that was checked. */
export type TellStep = (step: string, checks: readonly Check[]) => void;

/**
 * The demonstration of the talk that the client answers: several long tasks at once, all of them waiting for a person, and
 * everything that can go away goes away in between.
 * @returns how many checks failed
 * @throws Error where a program does not start, or a step does not come about
 */
export async function replayTalk(tell: TellStep): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'readback-talk-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  let failed = 0;
  const step = (name: string, ...checks: Check[]) => {
    failed += checks.filter(({ passed }) => !passed).length;
    tell(name, checks);
  };

  const where = ['--data', join(folder, 'gateway'), '--client-data', join(folder, 'client')];
  const call = (device: string, celsius: number) =>
    startClient(['call', ...where, '--json', device, `target_temperature=${celsius}`]);
  const calls = [call('ac_1', 20), call('ac_2', 21), call('ac_3', 22), call('ac_4', 23)] as const;
  await Promise.all(calls.map((each) => each.event('delayed')));
  step(
    'Four commands are given while no server runs',
    check(
      'sent',
      calls.every((each) => !each.has('calling')),
      'none',
      calls.filter((each) => each.has('calling')).length,
    ),
  );

  const simulator = await startListeningProgram('simulator/cli.js', [
    '--port',
    '0',
    '--delay',
    `${DELAY_MS}ms`,
    '--copies',
    '4',
  ]);
  const gatewayArgs = {
    config: await writeHome(folder),
    dataFolder: join(folder, 'gateway'),
    env: { READBACK_SIMULATOR: simulator.url },
  };
  let gateway: ListeningGateway = await startGatewayProgram({ ...gatewayArgs, port: 0 });
  const asked = await Promise.all(calls.map((each) => each.event('question')));
  step('Gateway and devices are started', check('waiting', asked.length === calls.length, calls.length, asked.length));

  const [first, second, third, last] = calls;
  const answer = async ({ wishId }: ClientProgram) => {
    const program = startClient(['answer', ...where, wishId, 'yes']);
    const { code } = await program.exited;
    if (code !== 0) throw new Error(`An answer was not taken: ${program.stderr()}`);
  };
  await answer(last);
  const lastEnd = await last.exited;
  step(
    'The last is answered first',
    verified(last, lastEnd),
    check('the first', !first.has('ended'), 'still waiting', first.endedAs() || 'still waiting'),
  );

  await answer(third);
  await third.event('task', ({ message }) => String(message).includes('sent'));
  await gateway.program.end('SIGKILL');
  gateway = await startGatewayProgram({ ...gatewayArgs, port: 0 });
  const thirdEnd = await third.exited;
  step('The gateway is killed while the third is being carried out', verified(third, thirdEnd));

  await Promise.all([first.kill(), second.kill()]);
  const watch = startClient(['watch', ...where, '--json']);
  await Promise.all([first, second].map(({ wishId }) => watch.event('question', ({ id }) => id === wishId)));
  step(
    'The client is killed while the first two wait',
    check(
      'found again',
      watch.stderr().includes('found 2 wishes'),
      'found 2 wishes',
      watch.stderr().split('\n', 1)[0] ?? '',
    ),
  );

  await answer(second);
  await answer(first);
  const watched = await watch.exited;
  step('A new client goes on, and both are answered', verified(watch, watched));

  const counts = await Promise.all(
    Object.values(DEVICES).map((id) => new SimulatedDeviceControl(simulator.url, id).commandCount()),
  );
  step(
    'What the devices really received',
    check(
      'commands',
      counts.every((count) => count === 1),
      'one each',
      counts.join(', '),
    ),
  );

  await Promise.all([gateway.program.end('SIGTERM'), simulator.program.end('SIGTERM')]);
  process.off('exit', removeFolder);
  removeFolder();
  return failed;
}

/** Every wish of a command was verified. */
function verified(client: ClientProgram, { code }: Exit): Check {
  return check('verdict', code === 0, 'verified', `${client.endedAs()}, exit code ${code}`);
}

function check(what: string, passed: boolean, expected: string | number, found: string | number): Check {
  return { what, passed, expected: String(expected), found: String(found) };
}

/** A home of devices over HTTP that all ask a person first. */
async function writeHome(folder: string): Promise<string> {
  const path = join(folder, 'talk.yaml');
  const devices = Object.entries(DEVICES).map(([id, simulated]) => deviceYaml(id, simulated));
  await writeFile(path, `devices:\n${devices.join('')}`);
  return path;
}

function deviceYaml(id: string, simulated: string): string {
  return `
  ${id}:
    kind: climate
    http: { base: !env_var READBACK_SIMULATOR }
    requests:
      status: { get: /sensors/${simulated} }
      apply: { post: /control/${simulated}, json: { temperature: "{{ want.target_temperature }}" } }
    fields:
      target_temperature:
        { write: apply, read: { request: status, path: temperature }, min: 16, max: 30, step: 1, unit: C, approval: always }
    verify: { poll: [500ms], echo: 0s, settle: 0s, deadline: 20s, watch: 0s }
`;
}

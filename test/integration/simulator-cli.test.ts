import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InputError, StartError, UnknownError } from '../../simulator/core/errors.ts';
import { simulatorProgram } from '../../simulator/program.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';

/** Runs one command line in this process; what it starts is closed after the test. */
async function run(
  ...args: string[]
): Promise<{ readonly printed: string; readonly simulator: Simulator | undefined }> {
  const printed: string[] = [];
  let simulator: Simulator | undefined;
  const program = simulatorProgram({
    print: (text) => printed.push(text),
    started: (started) => {
      simulator = started;
      open.push(started);
    },
  });
  await program.parseAsync(args, { from: 'user' });
  return { printed: printed.join('\n'), simulator };
}

let open: Simulator[] = [];
afterEach(async () => {
  await Promise.all(open.map((simulator) => simulator.close()));
  open = [];
});

describe('starting', () => {
  test('prints its address, and begins with what was asked for', async () => {
    const { printed, simulator } = await run(
      ...['--port', '0', '--delay', '250ms', '--jitter', '1s', '--seed', '9'],
      ...['--fault', 'ac:clamp', '--fault', 'fan:slow,by_ms=700'],
    );
    expect(printed).toBe(`Simulator at ${simulator?.url}`);
    expect(simulator?.home.view()).toMatchObject({
      seed: 9,
      devices: {
        ac: { delay_ms: 250, jitter_ms: 1_000, faults: [{ fault: 'clamp' }] },
        fan: { faults: [{ fault: 'slow', parameters: { by_ms: 700 } }] },
      },
    });
  });

  test('with a broker of its own it prints where the MQTT devices are, and takes faults for them', async () => {
    const { printed, simulator } = await run('--port', '0', '--broker', '0', '--fault', 'esp_ac:ignore');
    expect(printed).toBe(`Simulator at ${simulator?.url}\nMQTT devices at ${await simulator?.mqtt?.url}`);
    await simulator?.mqtt?.announced;
    expect(simulator?.home.device('esp_ac').view().faults).toEqual([
      { fault: 'ignore', times_left: null, parameters: {} },
    ]);
    const { printed: list } = await run('list', '--url', simulator?.url ?? '');
    expect(list).toMatch(/z2m_blind: Kitchen blind, zigbee2mqtt, reachable/);
    expect(list).toMatch(/error_in_200 .* \(http, zigbee2mqtt, tasmota\)/);
  });

  test('a broker that cannot be reached is said once, without its password, and is no end', async () => {
    const { printed, simulator } = await run('--port', '0', '--mqtt', 'mqtt://me:secret@127.0.0.1:1');
    expect(printed).toMatch(/MQTT devices at mqtt:\/\/me@127.0.0.1:1/);
    expect(printed).not.toMatch(/secret/);
    expect((await fetch(`${simulator?.url}/sensors`)).status).toBe(200);
  });

  test('a port that is taken is one clear line', async () => {
    const { simulator } = await run('--port', '0');
    const { port } = new URL(simulator?.url ?? '');
    await expect(run('--port', port)).rejects.toThrow(StartError);
    await expect(run('--port', port)).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`);
  });

  test.each([
    [['--port', 'http'], InputError, /port/],
    [['--mqtt', 'broker.lan'], InputError, /mqtt:\/\/host:1883/],
    [['--broker', 'here'], InputError, /broker/],
    [['--delay', '4'], InputError, /250ms, 4s or 2m/],
    [['--delay', '90m'], InputError, /3600000/],
    [['--port', '0', '--fault', 'ac:explode'], UnknownError, /ignore/],
    [['--port', '0', '--fault', 'clamp'], UnknownError, /ac, fan/],
    [['--port', '0', '--fault', 'ac:slow,long'], InputError, /by_ms=5000/],
  ] as const)('%j is refused with what would do', async (args, kind, message) => {
    await expect(run(...args)).rejects.toThrow(kind);
    await expect(run(...args)).rejects.toThrow(message);
  });
});

describe('talking to a running simulator', () => {
  let simulator: Simulator;
  let url: readonly string[];
  beforeEach(async () => {
    simulator = await startSimulator({ delayMs: 0 });
    open.push(simulator);
    url = ['--url', simulator.url];
  });

  test('arms and clears faults', async () => {
    await run('fault', 'ac', 'slow', 'by_ms=900', '--once', ...url);
    await run('fault', 'ac', 'ignore', ...url);
    expect(simulator.home.device('ac').view().faults).toEqual([
      { fault: 'ignore', times_left: null, parameters: {} },
      { fault: 'slow', times_left: 1, parameters: { by_ms: 900 } },
    ]);
    await run('clear', 'ac', 'slow', ...url);
    expect(simulator.home.device('ac').view().faults).toHaveLength(1);
    await run('clear', 'ac', ...url);
    expect(simulator.home.device('ac').view().faults).toEqual([]);
  });

  test('sets the delay', async () => {
    await run('delay', 'fan', '2.5s', ...url);
    expect(simulator.home.device('fan').view().delay_ms).toBe(2_500);
    expect(simulator.home.device('ac').view().delay_ms).toBe(0);
  });

  test('prints the truth for people and for programs', async () => {
    simulator.home.arm('ac', 'ignore', { times: 1 });
    simulator.home.device('ac').receive({ temperature: 26 });
    expect(() => simulator.home.device('ac').receive({ temperature: 99 })).toThrow();
    simulator.home.device('ac').configure({ state: { temperature: 20 } });
    const { printed } = await run('truth', 'ac', ...url);
    expect(printed).toMatch(/command #1 +{"temperature":26} \[ignore]/);
    expect(printed).toMatch(/rejected +{"temperature":99} .*30/);
    expect(printed).toMatch(/actuation +temperature 24 -> 20/);
    expect(printed).toMatch(/ac: commands 1/);
    expect(JSON.parse((await run('truth', '--json', ...url)).printed)).toEqual(simulator.home.truth());
  });

  test('lists devices and faults', async () => {
    simulator.home.arm('fan', 'echo');
    const { printed } = await run('list', ...url);
    expect(printed).toMatch(/fan: Fan, http, reachable, acts after 0 ms\n.*speed 3.*\n {2}armed: echo/);
    expect(printed).toMatch(/flap .*every_ms=2000/);
  });

  test('passes on the refusal of the simulator', async () => {
    await expect(run('fault', 'oven', 'slow', ...url)).rejects.toThrow(/ac, fan/);
    await expect(run('fault', 'ac', 'slow', 'by_ms=-1', ...url)).rejects.toThrow(/by_ms/);
  });

  test('says so where none runs', async () => {
    await simulator.close();
    open = [];
    await expect(run('list', ...url)).rejects.toThrow(/No simulator answers/);
  });
});

describe('the built program', () => {
  const cli = fileURLToPath(new URL('../../dist/simulator/cli.js', import.meta.url));
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  const start = (...args: string[]) => {
    const child = fork(cli, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    children.push(child);
    return child;
  };

  test('tells its parent where it is, and ends when the parent lets go', async () => {
    const child = start('--port', '0');
    const [message] = (await once(child, 'message')) as [{ url: string }];
    expect((await fetch(`${message.url}/sensors`)).status).toBe(200);
    const ended = once(child, 'exit');
    child.disconnect();
    expect(await ended).toEqual([0, null]);
  });

  test('a port that is taken: one line and exit code 1', async () => {
    const simulator = await startSimulator();
    open.push(simulator);
    const child = start('--port', new URL(simulator.url).port);
    let errors = '';
    child.stderr?.on('data', (data) => {
      errors += data;
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(errors).toMatch(/^Port \d+ on 127\.0\.0\.1 is taken.*\n$/);
  });
});

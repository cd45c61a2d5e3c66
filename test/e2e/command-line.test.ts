import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Daemons, QUICK_HOME } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

const ROOT = new URL('../../', import.meta.url);

let daemons: Daemons;
let blocker: Server | undefined;

beforeEach(() => {
  daemons = new Daemons();
});

afterEach(async () => {
  blocker?.close();
  blocker = undefined;
  await daemons.close();
});

/** A port that somebody else listens on. */
async function takenPort(): Promise<string> {
  blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  return String((blocker.address() as AddressInfo).port);
}

/** Runs the gateway to its end. */
async function ended(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const program = daemons.run(...args);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** One line for the person at the terminal, and nothing else. */
function oneLine(pattern: string): RegExp {
  return new RegExp(`^[^\\n]*${pattern}[^\\n]*\\n$`);
}

describe('a start without a configuration', () => {
  it('prints where clients connect, what to paste and what to try, and serves there', async () => {
    const program = daemons.run('--port', '0', '--simulator-port', '0', '--data', daemons.path('data'));
    await expect.poll(() => program.stdout(), { timeout: 30_000 }).toContain('Every command');
    const url = /MCP address +(http:\S+\/mcp)/.exec(program.stdout())?.[1] ?? '';
    expect(program.stdout()).toContain(`"url":"${url}"`);
    expect(program.stdout()).toContain('npm run replay');
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(program.stderr()).toBe('');
  });

  it('says in one line that the port of its simulator is taken', async () => {
    const port = await takenPort();
    const { code, stderr } = await ended('--port', '0', '--simulator-port', port, '--data', daemons.path('data'));
    expect(code).toBe(1);
    expect(stderr).toMatch(oneLine(`${port}.*--simulator-port`));
  });
});

describe('a start that cannot be', () => {
  const start = (...args: string[]) => ended('start', '--config', QUICK_HOME, '--log-level', 'warn', ...args);

  it('for a port that is taken is one line and exit code 1, and leaves the data folder free', async () => {
    const port = await takenPort();
    const data = daemons.path('data');
    const { code, stdout, stderr } = await start('--port', port, '--data', data);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(oneLine(`port ${port} is taken.*--port`));

    const simulator = await daemons.simulator(0);
    expect((await daemons.gateway(simulator, data)).url).toMatch(/^http/);
  });

  it('for a data folder that cannot be is one line and exit code 1', async () => {
    writeFileSync(daemons.path('file'), '');
    const { code, stderr } = await start('--port', '0', '--data', daemons.path('file/data'));
    expect(code).toBe(1);
    expect(stderr).toMatch(oneLine('file/data'));
  });

  it('for a second one on the same data is one line with the pid of the first, which goes on', async () => {
    const simulator = await daemons.simulator(0);
    const first = await daemons.gateway(simulator);
    const { code, stderr } = await start('--port', '0', '--data', daemons.path('data'));
    expect(code).toBe(1);
    expect(stderr).toMatch(oneLine(`process ${first.program.pid}\\b`));
    expect((await fetch(new URL('/healthz', first.url))).status).toBe(200);
  });

  it('for mistakes in the configuration names each with file and line, exits with 2, and touches nothing', async () => {
    const config = daemons.path('home.yaml');
    const text = readFileSync(QUICK_HOME, 'utf8').replace('min: 16', 'mim: 16').replace('kind: climate', 'kind: oven');
    writeFileSync(config, text);
    const line = (word: string) => text.split('\n').findIndex((each) => each.includes(word)) + 1;
    const port = await takenPort();
    blocker?.close();
    const { code, stdout, stderr } = await ended('--config', config, '--port', port, '--data', daemons.path('data'));
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`home\\.yaml:${line('oven')}:\\d+ .*kind.*climate`));
    expect(stderr).toMatch(new RegExp(`home\\.yaml:${line('mim')}:\\d+ .*mim.*min`));
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });
});

describe('the command line', () => {
  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string };
    expect(await ended('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each([
    [['start', '--prot', '1'], '--port'],
    [['--port', 'http'], '0 to 65535'],
    [['--delay', 'soon'], '4s or 500ms'],
    [['frobnicate'], '--help'],
  ] as const)('refuses %j and says what would do', async (args, hint) => {
    const { code, stdout, stderr } = await ended(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(hint);
  });
});

describe('a parent that is gone', () => {
  it('is not outlived', async () => {
    const simulator = await daemons.simulator(0);
    const child = fork(
      fileURLToPath(new URL('dist/gateway/cli.js', ROOT)),
      ['--config', QUICK_HOME, '--port', '0', '--data', daemons.path('data'), '--log-level', 'warn'],
      { env: { ...process.env, READBACK_SIMULATOR: simulator.url }, silent: true },
    );
    try {
      await once(child, 'message');
      const exit = once(child, 'exit');
      child.disconnect();
      expect(await exit).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Program, startProgram } from '../../scripts/support/programs.ts';
import { Daemons } from '../support/daemon.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

let daemons: Daemons;
let program: Program | undefined;

beforeEach(() => {
  daemons = new Daemons();
});

afterEach(async () => {
  await program?.end();
  await daemons.close();
});

/** The replay, with its temporary files in the test's own folder. */
function replay(args: readonly string[], temporary = daemons.folder): Program {
  program = startProgram('scripts/replay/main.js', args, { TMPDIR: temporary });
  return program;
}

describe('the replay', () => {
  it('ends at Ctrl-C with everything that it started', async () => {
    const { exited, stdout, end } = replay([]);
    await expect.poll(() => stdout(), { timeout: 30_000 }).toContain('reading back');
    const address = /over (http:\S+)\/mcp/.exec(stdout())?.[1] ?? '';
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    await end('SIGINT');
    expect(await exited).toEqual({ code: 130, signal: null });
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
    expect(readdirSync(daemons.folder)).toEqual([]);
  });

  it('that cannot go on says so in one line and ends with 1, its programs with it', async () => {
    const { exited, stderr } = replay([], daemons.path('missing'));
    expect(await exited).toEqual({ code: 1, signal: null });
    expect(stderr()).toMatch(/^replay: [^\n]*missing[^\n]*\n$/);
  });
});

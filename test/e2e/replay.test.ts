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
  it('passes, every expectation of every scenario, and leaves nothing behind', async () => {
    const { exited, stdout, stderr } = replay(['--delay', '1s', '--json']);
    const { code } = await exited;
    expect(stderr()).toBe('');
    const report = JSON.parse(stdout());
    const missed = report.scenarios.flatMap(({ id, checks }: { id: string; checks: { passed: boolean }[] }) =>
      checks.filter((check) => !check.passed).map((check) => ({ id, ...check })),
    );
    expect(missed).toEqual([]);
    expect(report).toMatchObject({ delay_ms: 1_000, failed: 0, figures: { tool_list_bytes: expect.any(Number) } });
    expect(code).toBe(0);
    expect(readdirSync(daemons.folder)).toEqual([]);
  });

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

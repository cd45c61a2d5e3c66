import { afterEach, expect, it } from 'vitest';
import { type Program, startProgram } from '../../scripts/support/programs.ts';

let program: Program | undefined;

afterEach(async () => {
  await program?.end();
});

it('the replay passes, every expectation of every scenario', { timeout: 60_000 }, async () => {
  program = startProgram('scripts/replay/main.js', ['--delay', '400ms', '--json']);
  const { code } = await program.exited;
  expect(program.stderr()).toBe('');
  const report = JSON.parse(program.stdout());
  const missed = report.scenarios.flatMap(({ id, checks }: { id: string; checks: { passed: boolean }[] }) =>
    checks.filter((check) => !check.passed).map((check) => ({ id, ...check })),
  );
  expect(missed).toEqual([]);
  expect(report).toMatchObject({ delay_ms: 400, failed: 0, figures: { tool_list_bytes: expect.any(Number) } });
  expect(code).toBe(0);
});

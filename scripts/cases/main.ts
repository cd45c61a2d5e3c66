import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../gateway/domain/errors.ts';
import { CaseFileError, readCases } from './case.ts';
import { judgedLine, totals } from './report.ts';
import { runCases } from './run.ts';

interface Options {
  readonly speed: number;
  readonly json?: true;
}

/** Exit codes: 0 all passed, 1 some failed, 2 the file is not there or holds something else. */
async function main(file: string, { speed, json }: Options): Promise<void> {
  const cases = readCases(await readFile(file, 'utf8'), basename(file));
  const judged = await runCases(cases, speed, (each) => {
    if (!json) console.log(judgedLine(each));
  });
  const { passed, failed } = totals(judged);
  if (json) console.log(JSON.stringify({ passed, failed, speed, cases: judged }));
  else console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function positive(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('it is a number above 0');
}

const program = new Command('cases')
  .description('Plays situations that people really met against the real gateway, and compares the verdicts.')
  .argument('<file>', 'one case a line')
  .option('--speed <factor>', 'how much faster than real', positive, 10)
  .option('--json', 'print one JSON object instead of lines')
  .action(main);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof CaseFileError ? error.message : `cases: ${messageOf(error)}`);
  process.exitCode = 2;
}

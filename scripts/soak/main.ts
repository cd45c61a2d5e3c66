import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../gateway/domain/errors.ts';
import { allHold } from '../support/finding.ts';
import { summary } from './report.ts';
import { soak } from './soak.ts';

const SEEDS = 2 ** 31;

const {
  minutes,
  seed = Date.now() % SEEDS,
  json,
} = new Command('soak')
  .description(
    'Runs a full house for a while, with faults and a broker that restarts, and compares verdicts with the truth.',
  )
  .option('--minutes <number>', 'how long', parseMinutes, 10)
  .option('--seed <number>', 'the luck of an earlier run', Number)
  .option('--json', 'print one JSON object, and nothing else')
  .parse()
  .opts<{ minutes: number; seed?: number; json?: true }>();

// Ctrl-C ends this process, and with it the programs that it started.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

try {
  if (!json) console.log(`seed ${seed}, ${minutes} minutes`);
  const said = (line: string) => {
    if (!json) console.log(line);
  };
  const report = await soak({ minutes, seed, said });
  console.log(json ? JSON.stringify(report, null, 2) : summary(report));
  process.exitCode = allHold(report.findings) ? 0 : 1;
} catch (error) {
  console.error(`soak: seed ${seed}: ${messageOf(error)}`);
  // The programs that run would keep this process alive.
  process.exit(1);
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 24 * 60) return minutes;
  throw new InvalidArgumentError('write a number of minutes, up to a day.');
}

import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../gateway/domain/errors.ts';
import { allHold } from '../support/finding.ts';
import { chaos } from './chaos.ts';
import { summary } from './report.ts';

const DEFAULT_KILLS = 300;
const SEEDS = 2 ** 31;

const {
  kills,
  seed = Date.now() % SEEDS,
  json,
} = new Command('chaos')
  .description('Kills the gateway again and again under commands, and compares what was told, stored and really done.')
  .option('--kills <number>', 'how many times', parseCount, DEFAULT_KILLS)
  .option('--seed <number>', 'repeat the commands and kills of an earlier run', parseCount)
  .option('--json', 'print one JSON object, and nothing else')
  .parse()
  .opts<{ kills: number; seed?: number; json?: true }>();

// Ctrl-C ends this process, and with it the programs that it started.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** How often it says how far it is, in kills. */
const EVERY = 25;

try {
  if (!json) console.log(`seed ${seed}, ${kills} kills`);
  const report = await chaos({
    seed,
    kills,
    died: (_, count) => {
      if (!json && (count % EVERY === 0 || count === kills)) console.log(`killed ${count} of ${kills}`);
    },
  });
  console.log(json ? JSON.stringify(report, null, 2) : summary(report));
  process.exitCode = allHold(report.invariants) ? 0 : 1;
} catch (error) {
  console.error(`chaos: seed ${seed}: ${messageOf(error)}`);
  // The programs that run would keep this process alive.
  process.exit(1);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0 && count < SEEDS) return count;
  throw new InvalidArgumentError('write a whole number, 1 or more.');
}

import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../../gateway/domain/errors.ts';
import { parseDurationMs } from '../../simulator/duration.ts';
import { replay } from './replay.ts';
import { openStage } from './stage.ts';
import { silentNarrator, tableNarrator } from './table.ts';
import { replayTalk } from './talk.ts';

/** Where nobody says how wide the terminal is. */
const DEFAULT_WIDTH = 120;

/** Below this the programs' own pace, and not the devices', would decide what is seen. */
const LEAST_DELAY_MS = 200;

const {
  delay,
  json,
  talk = false,
} = new Command('replay')
  .description('Replays the life of a command on the simulator, and checks every step of it.')
  .option(
    '--delay <duration>',
    'how long the devices take to act; everything else is scaled with it',
    parseDelay,
    4_000,
  )
  .option('--json', 'print one JSON object at the end, and nothing else')
  .option('--talk', 'replay instead how a client forgets nothing while everything is killed round it')
  .parse()
  .opts<{ delay: number; json?: true; talk?: true }>();

// Ctrl-C ends this process, and with it the programs that it started.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

try {
  process.exitCode = (await (talk ? failedInTalk() : failedInLife())) === 0 ? 0 : 1;
} catch (error) {
  console.error(`replay: ${messageOf(error)}`);
  // The programs that run would keep this process alive.
  process.exit(1);
}

async function failedInLife(): Promise<number> {
  const stage = await openStage(delay);
  const report = await replay(stage, json ? silentNarrator : tableNarrator(terminal()));
  await stage.close();
  if (json) console.log(JSON.stringify(report, null, 2));
  return report.failed;
}

async function failedInTalk(): Promise<number> {
  const steps: object[] = [];
  const failed = await replayTalk((step, checks) => {
    steps.push({ step, checks });
    if (json) return;
    console.log(`${steps.length}. ${step}`);
    for (const { what, passed, found } of checks) console.log(`   ${passed ? '✓' : '✗'} ${what.padEnd(12)} ${found}`);
  });
  if (json) console.log(JSON.stringify({ steps, failed }, null, 2));
  return failed;
}

function terminal() {
  const { isTTY, columns = DEFAULT_WIDTH } = process.stdout;
  return {
    print: (line: string) => console.log(line),
    width: columns,
    colours: isTTY && process.env.NO_COLOR === undefined,
  };
}

function parseDelay(text: string): number {
  try {
    const ms = parseDurationMs(text);
    if (ms >= LEAST_DELAY_MS) return ms;
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
  throw new InvalidArgumentError(`at least ${LEAST_DELAY_MS}ms.`);
}

import { cpus } from 'node:os';
import { Command } from 'commander';
import { messageOf } from '../../gateway/domain/errors.ts';
import { measureCreation } from './creation.ts';
import { measureCrowd } from './crowd.ts';
import { type Figure, met, table } from './figure.ts';
import { measureFollowing } from './follow.ts';
import { measureLateness } from './lateness.ts';
import { measureNotifications } from './notifications.ts';
import { measurePush } from './push.ts';
import { measureSoak } from './soak.ts';
import { measureStartUp } from './start-up.ts';
import { measureThroughput } from './throughput.ts';
import { openWorkspace } from './workspace.ts';

const {
  json,
  quick = false,
  only,
} = new Command('bench')
  .description('Measures what the gateway promises. A missed target is told; it is no failure.')
  .option('--json', 'print one JSON object, and nothing else')
  .option('--quick', 'few samples: whether the bench works, not how fast the gateway is')
  .option(
    '--only <name>',
    'one measurement: start, creation, lateness, push, crowd, throughput, notifications, follow or soak',
  )
  .parse()
  .opts<{ json?: true; quick?: true; only?: string }>();

// Ctrl-C ends this process, and with it the programs that it started.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const MEASUREMENTS = [
  ['start', measureStartUp],
  ['creation', measureCreation],
  ['lateness', measureLateness],
  ['push', measurePush],
  ['crowd', measureCrowd],
  ['throughput', measureThroughput],
  ['notifications', measureNotifications],
  ['follow', measureFollowing],
  ['soak', measureSoak],
] as const;

try {
  const folder = await openWorkspace();
  const figures: Figure[] = [];
  for (const [name, measure] of MEASUREMENTS) {
    if (only !== undefined && name !== only) continue;
    if (!json) console.error(`measuring ${name} …`);
    figures.push(...(await measure(folder, { quick })));
  }
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model ?? 'unknown' };
  if (json) {
    const told = figures.map((figure) => ({ ...figure, target: figure.target ?? null, met: met(figure) }));
    console.log(JSON.stringify({ ...machine, quick, figures: told }, null, 2));
  } else {
    console.log(`\nNode ${machine.node} on ${machine.cpus} × ${machine.cpu}\n\n${table(figures)}`);
  }
} catch (error) {
  console.error(`bench: ${messageOf(error)}`);
  // The programs that run would keep this process alive.
  process.exit(1);
}

#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from 'commander';
import { banner, settledLine } from './commands/banner.ts';
import { addClientCommands } from './commands/client/commands.ts';
import type { RunningDaemon, StartOptions } from './commands/daemon.ts';
import type { DataOptions } from './commands/data-options.ts';
import { type DaemonOptions, findDaemon } from './commands/find-daemon.ts';
import type { StdioOptions } from './commands/stdio.ts';
import { addTokenCommands } from './commands/token-commands.ts';
import { messageOf, StartError } from './domain/errors.ts';
import { LOG_LEVELS } from './domain/log.ts';
import { StoreError } from './domain/store.ts';
import { version } from './version.ts';

/** A stop that takes longer than this is cut short, in ms: whoever asked for it is waiting. */
const STOP_MS = 5_000;

const program = new Command('readback')
  .description('A home-automation gateway that tells the truth.')
  .version(version())
  .showHelpAfterError('(readback --help tells what there is)');

program
  .command('start', { isDefault: true })
  .description('run the gateway; without --config, a demo home on a simulator')
  .option('-c, --config <file>', 'the home to run')
  .option('--host <address>', 'address to listen on, instead of server.host')
  .option('-p, --port <number>', 'port to listen on, instead of server.port; 0 takes a free one', parsePort)
  .option('--data <folder>', 'where tasks are kept, instead of data')
  .option('--simulator-port <number>', "port of the demo home's simulator; 0 takes a free one", parsePort, 8731)
  .option('--delay <seconds>', 'how long the simulated devices take to act', parseSeconds, 4_000)
  .addOption(new Option('--log-level <level>', 'what to log').choices(LOG_LEVELS))
  .action(start);

daemonCommand('approvals')
  .description('list the questions that wait for a person')
  .action(async (options: DaemonOptions) => {
    // Loaded late, as the other commands are: the gateway's own start does not wait for what it does not need.
    const { listApprovals } = await import('./commands/approvals.ts');
    console.log(await listApprovals(await findDaemon(options)));
  });

for (const [name, approve, description] of [
  ['approve', true, 'send the command that waits under this id'],
  ['deny', false, 'do not send it'],
] as const) {
  daemonCommand(name)
    .description(description)
    .argument('<id>', 'as `readback approvals` lists it, or enough of its beginning')
    // An id may begin with a dash.
    .allowUnknownOption()
    .action(async (id: string, options: DaemonOptions) => {
      const { answerApproval } = await import('./commands/approvals.ts');
      console.log(await answerApproval(await findDaemon(options), id, approve));
    });
}

daemonCommand('stdio')
  .description('serve one MCP client over standard input and output, by the gateway that runs')
  .option('--demo', 'start the demo home where none runs')
  .option('--simulator-port <number>', "port of the demo home's simulator; 0 takes a free one", parsePort, 8731)
  .option('--delay <seconds>', 'how long the simulated devices take to act', parseSeconds, 4_000)
  .action(async (options: StdioOptions) => {
    const { serveStdio } = await import('./commands/stdio.ts');
    await serveStdio(options);
    // Connections that are kept for later would keep the process alive.
    process.exit(0);
  });

dataCommand('backup')
  .description('write tasks, history, keys and tokens into one file, whether the gateway runs or not')
  .argument('<file>', 'the backup; one that is there is replaced once the new one is whole')
  .action(async (file: string, options: DataOptions) => {
    const { backUpData } = await import('./commands/backup.ts');
    console.log(await backUpData(file, options));
  });

dataCommand('restore')
  .description('put a backup in place, while no gateway runs; what was there is kept beside it')
  .argument('<file>', 'as `readback backup` wrote it')
  .action(async (file: string, options: DataOptions) => {
    const { restoreData } = await import('./commands/backup.ts');
    console.log(await restoreData(file, options));
  });

/** A command that works on a data folder itself. */
function dataCommand(name: string): Command {
  return program
    .command(name)
    .option('-c, --config <file>', 'the home whose data it is')
    .option('--data <folder>', 'the data folder, where it is not the usual one');
}

addClientCommands(daemonCommand);
addTokenCommands(program.command('token').description('who may come in, and what for'), daemonCommand);

/** A command that speaks to a gateway which is running. */
function daemonCommand(name: string, above: Command = program): Command {
  return above
    .command(name)
    .option('--url <address>', 'where the gateway listens, instead of looking it up in its data folder', parseUrl)
    .option('-c, --config <file>', 'the home that it runs')
    .option('--data <folder>', 'its data folder, where it is not the usual one')
    .addOption(
      new Option('--token <token>', "what to show it, instead of its data folder's token").env('READBACK_TOKEN'),
    );
}

async function start(options: StartOptions): Promise<void> {
  // The gateway is most of the program, and the other commands do without it.
  const { startDaemon } = await import('./commands/daemon.ts');
  const daemon = await startDaemon(options);
  const { gateway, demo, dataFolder, log } = daemon;
  // Before anybody is told that it runs: whoever is told may send a signal at once.
  hearSignals(daemon);
  process.on('unhandledRejection', (error) =>
    log.error({ error: messageOf(error) }, 'a fault was caught at the last line'),
  );
  const { mcpUrl, brokerUrl } = gateway;
  console.log(
    banner({
      version: version(),
      mcpUrl,
      dataFolder,
      brokerUrl,
      ...(demo ? { simulatorUrl: demo.simulator.url } : {}),
    }),
  );
  if (demo) {
    gateway.subscribe((actuation) => {
      const line = settledLine(actuation);
      if (line) console.log(line);
    });
  }
  process.send?.({ mcpUrl, brokerUrl });
}

/** SIGHUP reads the configuration again. A demo has none: it goes with its terminal. */
function hearSignals({ reload, close }: RunningDaemon): void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  stopOnSignal(reload ? signals : [...signals, 'SIGHUP'], close);
  if (reload) process.on('SIGHUP', () => void reload());
}

/** The first signal stops in order; a second one, or too long a stop, ends at once. */
function stopOnSignal(signals: readonly NodeJS.Signals[], stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => {
      console.error(
        `readback: could not stop in order within ${STOP_MS / 1_000} s; what is open goes on at the next start`,
      );
      process.exit(1);
    }, STOP_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`readback: could not stop in order: ${messageOf(error)}`);
        process.exit(1);
      },
    );
  };
  for (const signal of signals) process.on(signal, onSignal);
  // Whoever started it as a child, and talks to it, is gone.
  process.once('disconnect', onSignal);
}

function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('write it as http://127.0.0.1:8730.');
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('a port is a whole number from 0 to 65535.');
  return port;
}

function parseSeconds(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('write it as 4s or 500ms.');
  return Number(number) * (unit === 'ms' ? 1 : 1_000);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof StartError || error instanceof StoreError) {
    console.error(`readback: ${error.message}`);
    process.exitCode = error instanceof StartError ? error.exitCode : 1;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}

#!/usr/bin/env node
import { dirname, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { pino } from 'pino';
import { answerApproval, listApprovals } from './approvals-command.ts';
import { banner, settledLine } from './banner.ts';
import { loadConfig } from './config/load.ts';
import { readDaemonFile } from './daemon-file.ts';
import { startDemo } from './demo.ts';
import { templateMistake } from './devices/template.ts';
import { messageOf, StartError } from './domain/errors.ts';
import { StoreError } from './domain/store.ts';
import { startGateway, version } from './main.ts';

/** A stop that takes longer than this is cut short, in ms: whoever asked for it is waiting. */
const STOP_MS = 5_000;

interface StartOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  readonly simulatorPort: number;
  readonly delay: number;
  readonly logLevel?: string;
}

/** Which running gateway is meant. */
interface DaemonOptions {
  readonly url?: string;
  readonly config?: string;
  readonly data?: string;
}

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
  .addOption(new Option('--log-level <level>', 'what to log').choices(['debug', 'info', 'warn', 'error', 'silent']))
  .action(start);

daemonCommand('approvals')
  .description('list the questions that wait for a person')
  .action(async (options: DaemonOptions) => console.log(await listApprovals(await daemonUrl(options))));

for (const [name, approve, description] of [
  ['approve', true, 'send the command that waits under this id'],
  ['deny', false, 'do not send it'],
] as const) {
  daemonCommand(name)
    .description(description)
    .argument('<id>', 'as `readback approvals` lists it, or enough of its beginning')
    // An id may begin with a dash.
    .allowUnknownOption()
    .action(async (id: string, options: DaemonOptions) =>
      console.log(await answerApproval(await daemonUrl(options), id, approve)),
    );
}

/** A command that speaks to a gateway which is running. */
function daemonCommand(name: string): Command {
  return program
    .command(name)
    .option('--url <address>', 'where the gateway listens, instead of looking it up in its data folder')
    .option('-c, --config <file>', 'the home that it runs')
    .option('--data <folder>', 'its data folder, where it is not the usual one');
}

async function daemonUrl({ url, config, data }: DaemonOptions): Promise<string> {
  if (url !== undefined) return url;
  const home = config === undefined || data !== undefined ? null : await loadConfig(config, process.env);
  const folder = resolve(data ?? home?.data ?? defaultData(config));
  const address = await readDaemonFile(folder);
  if (!address) throw new StartError(`no gateway runs on ${folder}: start one, or name another with --url or --data`);
  return address.url;
}

async function start(options: StartOptions): Promise<void> {
  const demo =
    options.config === undefined
      ? await startDemo({ simulatorPort: options.simulatorPort, delayMs: options.delay })
      : null;
  const home = demo ? demo.home : await loadConfig(String(options.config), process.env, templateMistake);
  // Under the demo a person is watching: what settles is told in sentences, and the log keeps to what goes wrong.
  const log = pino({ level: options.logLevel ?? (demo ? 'warn' : 'info') }, pino.destination(2));
  const dataFolder = resolve(options.data ?? home.data ?? defaultData(options.config));
  const gateway = await startGateway({
    home,
    dataFolder,
    host: options.host ?? home.server.host,
    port: options.port ?? home.server.port,
    log,
  });
  const { mcpUrl, brokerUrl } = gateway;
  if (brokerUrl) demo?.joinBroker(brokerUrl);
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
  process.send?.({ mcpUrl });
  stopOnSignal(async () => {
    await gateway.close();
    await demo?.simulator.close();
  });
  process.on('unhandledRejection', (error) =>
    log.error({ error: messageOf(error) }, 'a fault was caught at the last line'),
  );
}

/** Tasks lie beside the configuration that they belong to. */
function defaultData(config: string | undefined): string {
  return config === undefined ? 'data/demo' : `${dirname(config)}/data`;
}

/** The first signal stops in order; a second one, or too long a stop, ends at once. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`readback: could not stop in order: ${messageOf(error)}`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // Whoever started it as a child, and talks to it, is gone.
  process.once('disconnect', onSignal);
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

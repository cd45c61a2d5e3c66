import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_CODES_HELP } from './exit-code.ts';
import type { CallOptions } from './follow.ts';
import { tellRecordAtFault } from './last-line.ts';
import type { ClientOptions } from './session.ts';
import type { TasksOptions } from './wish-list.ts';

/** For how long a wish is kept for a gateway that is down, unless `--within` says otherwise, in ms. */
const WITHIN_MS = 10 * 60_000;

/**
 * Adds the commands of the client that does not forget.
 * @param serverCommand makes a command that is told which server is meant
 */
export function addClientCommands(serverCommand: (name: string) => Command): void {
  const clientCommand = (name: string) =>
    serverCommand(name)
      .option('--client-data <folder>', 'where wishes are kept, instead of ~/.local/state/readback')
      .hook('preAction', tellRecordAtFault);

  clientCommand('call')
    .description(
      'set fields of a device, or call a tool, and stay until the verdict; what is wished is never forgotten',
    )
    .argument('[device]', 'the device; none with --tool')
    .argument('[field=value...]', 'what to set, or the arguments of the tool')
    .option('--tool <name>', 'call this tool, of any MCP server, instead of setting a device')
    .addOption(
      new Option('--within <time>', 'how long to keep trying to deliver it, as 30s, 10m or 2h')
        .argParser(parseSpan)
        .default(WITHIN_MS, '10m'),
    )
    .option('--json', 'JSON lines, in a terminal too')
    .addHelpText('after', EXIT_CODES_HELP)
    .action(async (device: string | undefined, values: string[], options: CallOptions) => {
      // Loaded late, as the other commands are: the gateway's own start does not wait for what it does not need.
      const { call } = await import('./follow.ts');
      leave(await call(device === undefined ? values : [device, ...values], options));
    });

  clientCommand('watch')
    .description('go on with what earlier calls left, until its end')
    .argument('[task...]', 'beginnings of ids, as `readback tasks` lists them; none: all that have not ended')
    .option('--json', 'JSON lines, in a terminal too')
    .addHelpText('after', EXIT_CODES_HELP)
    .action(async (ids: string[], options: Omit<CallOptions, 'within'>) => {
      const { watch } = await import('./follow.ts');
      leave(await watch(ids, options));
    });

  clientCommand('tasks')
    .description('list what was wished from here and has not ended')
    .option('--all', 'what has ended too')
    .option('--json', 'JSON lines, in a terminal too')
    .action(async (options: TasksOptions) => {
      const { listWishes } = await import('./wish-list.ts');
      tell(await listWishes(options));
    });

  clientCommand('state')
    .description('tell what is known of a device, or of all')
    .argument('[device]')
    .action(async (device: string | undefined, options: ClientOptions) => {
      const { tellState } = await import('./one-task.ts');
      tell(await tellState(device, options));
    });

  clientCommand('cancel')
    .description('give a wish up: what has not been sent is not, what has been sent is not taken back')
    .argument('<task>', 'the beginning of its id, as `readback tasks` lists it')
    .allowUnknownOption()
    .action(async (id: string, options: ClientOptions) => {
      const { cancelTask } = await import('./one-task.ts');
      tell(await cancelTask(id, options));
    });

  clientCommand('answer')
    .description('answer the question of a task')
    .argument('<task>', 'the beginning of its id, as `readback tasks` lists it')
    .argument('[answer...]', 'yes, no, or field=value where it asks for more')
    .allowUnknownOption()
    .action(async (id: string, words: string[], options: ClientOptions) => {
      const { answerTask } = await import('./one-task.ts');
      tell(await answerTask(id, words, options));
    });
}

function tell(text: string): void {
  if (text !== '') console.log(text);
  leave(0);
}

/** Connections that are kept for later would keep the process alive. */
function leave(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

function parseSpan(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('write it as 30s, 10m or 2h.');
  return Number(number) * ({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit ?? 's'] ?? 1_000);
}

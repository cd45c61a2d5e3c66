import { type Command, Option } from 'commander';
import { SCOPES, type Scope } from '../domain/principal.ts';
import type { DaemonOptions } from './find-daemon.ts';

/**
 * Adds what can be done with tokens.
 * @param group the command above them
 * @param daemonCommand makes a command below it that is told which gateway is meant
 */
export function addTokenCommands(group: Command, daemonCommand: (name: string, above: Command) => Command): void {
  daemonCommand('add', group)
    .description('make a token, which is shown this one time; it counts at once')
    .argument('<name>', 'whose it is: the commands given with it are theirs')
    .addOption(
      new Option('--scope <scope...>', 'what it may do')
        .choices(SCOPES)
        .default(['read', 'control'], 'read and control'),
    )
    .action(async (name: string, options: DaemonOptions & { readonly scope: readonly Scope[] }) => {
      // Loaded late, as the other commands are: the gateway's own start does not wait for what it does not need.
      const { addToken } = await import('./token.ts');
      console.log(await addToken(options, name, options.scope));
    });

  daemonCommand('list', group)
    .description('list the tokens by name; nobody can see a token again')
    .action(async (options: DaemonOptions) => {
      const { listTokens } = await import('./token.ts');
      console.log(await listTokens(options));
    });

  daemonCommand('revoke', group)
    .description('make a token worthless at once, with all that is open under it')
    .argument('<name>', 'as `readback token list` shows it')
    .action(async (name: string, options: DaemonOptions) => {
      const { revokeToken } = await import('./token.ts');
      console.log(await revokeToken(options, name));
    });
}

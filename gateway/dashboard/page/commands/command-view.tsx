import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CommandStoryWire, CommandWire } from '../../wire.ts';
import { api, wordsOf } from '../api.ts';
import { Progress } from '../devices/last-command.tsx';
import { ask } from '../devices/wishes.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { standingOf, VerdictBadge } from '../parts/verdict-badge.tsx';
import { commandHref, commandsHref } from '../route.ts';
import { commands, isOpen, mayControl, putCommand } from '../state/home.ts';
import { liveness } from '../state/live.ts';
import { capital, sentenceOf } from '../words.ts';
import { FieldPanel } from './field-panel.tsx';
import { plotData } from './plot-data.ts';
import { Timeline } from './timeline.tsx';

/** One command from its beginning to its verdict, and what came after. @param day the day of history that it is in; empty: none */
export function CommandView({ id, day }: { readonly id: string; readonly day: string }) {
  const story = useSignal<CommandStoryWire | null>(null);
  const problem = useSignal<string | null>(null);
  const live = commands.value.get(id);
  const isLive = liveness.value.state === 'live';

  // Asked for again when the stream says that it went on.
  useEffect(() => {
    let isWanted = true;
    api.story(id, day).then(
      (told) => {
        if (!isWanted) return;
        story.value = told;
        problem.value = null;
      },
      (error: unknown) => {
        if (isWanted) problem.value = wordsOf(error);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [id, day, live, isLive]);

  const told = story.value?.command.id === id ? story.value : null;
  const command = live ?? told?.command;
  return (
    <section class="command" aria-label="Command">
      <a class="back" href={commandsHref({ day })}>
        <Icon name="back" /> All commands
      </a>
      {problem.value && !command && <Empty title="This command cannot be shown">{problem.value}</Empty>}
      {command && <Head command={command} />}
      {command?.fields.map((field) => (
        <FieldPanel key={field.name} field={field} plot={told && plotData(told, field)} />
      ))}
      {told ? <Timeline story={told} /> : !problem.value && <SkeletonRows />}
    </section>
  );
}

function Head({ command }: { readonly command: CommandWire }) {
  const refusal = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const run = async (action: () => Promise<unknown>) => {
    isBusy.value = true;
    refusal.value = null;
    await action().catch((error: unknown) => {
      refusal.value = wordsOf(error);
    });
    isBusy.value = false;
  };
  const repeat = async () => {
    const set = Object.fromEntries(command.fields.map(({ name, requested }) => [name, requested]));
    const next = await ask(command.device, set);
    if (next) location.hash = commandHref(next.id);
    else refusal.value = 'The gateway did not take it; the device says why.';
  };
  return (
    <header class="command-head">
      <div class="command-title">
        <h2>{command.device_name}</h2>
        <VerdictBadge command={command} />
      </div>
      <p class="command-sentence">{sentenceOf(command)}</p>
      <p class="quiet">
        {capital(standingOf(command).meaning)}; commanded by {command.principal},{' '}
        {new Date(command.created_at).toLocaleString()}
        {command.reads > 0 && `, ${command.reads} ${command.reads === 1 ? 'read' : 'reads'}`}
      </p>
      {isOpen(command) && <Progress command={command} />}
      {mayControl.value && (
        <div class="actions">
          {isOpen(command) && command.mine && (
            <Button
              icon="stop"
              look="bad"
              disabled={isBusy.value}
              onClick={() => run(async () => putCommand(await api.cancel(command.id)))}
            >
              Cancel
            </Button>
          )}
          {!isOpen(command) && command.fields.length > 0 && (
            <Button icon="again" disabled={isBusy.value} onClick={() => run(repeat)}>
              Repeat
            </Button>
          )}
        </div>
      )}
      {refusal.value && <p class="refusal">{refusal.value}</p>}
    </header>
  );
}

import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CommandWire } from '../../wire.ts';
import { api, type CommandsQuery, wordsOf } from '../api.ts';
import { newestCommands, newestFirst } from '../state/home.ts';

/** Commands fetched at a time. */
const PAGE = 50;

interface Fetched {
  readonly commands: readonly CommandWire[];
  /** Where the next page continues; null: there is none. */
  readonly next: string | null;
}

/** A list of commands that grows at its end on request and at its beginning by itself. */
export interface CommandList {
  /** Newest first; null until the first page is there. */
  readonly rows: Signal<readonly CommandWire[] | null>;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  /** Why the last page could not be fetched, in words. */
  readonly problem: string | null;
  older(): void;
}

/** The commands under these filters, kept up to date by the stream where they are not those of a day of history. */
export function useCommandList(query: CommandsQuery): CommandList {
  const fetched = useSignal<Fetched | null>(null);
  const problem = useSignal<string | null>(null);
  const isLoading = useSignal(false);
  const wanted = useSignal(query);
  const turn = useRef(0);
  const key = JSON.stringify(query);

  const load = async (before: string | null) => {
    const mine = ++turn.current;
    isLoading.value = true;
    try {
      const page = await api.commands(wanted.peek(), before, PAGE);
      if (mine !== turn.current) return;
      const earlier = before === null ? [] : (fetched.peek()?.commands ?? []);
      fetched.value = { commands: [...earlier, ...page.commands], next: page.next };
      problem.value = null;
    } catch (error) {
      if (mine === turn.current) problem.value = wordsOf(error);
    } finally {
      if (mine === turn.current) isLoading.value = false;
    }
  };

  // The key stands for the query, which is a new object each time.
  useEffect(() => {
    wanted.value = query;
    fetched.value = null;
    void load(null);
  }, [key]);

  const rows = useComputed(() => {
    if (!fetched.value) return null;
    return wanted.value.day ? fetched.value.commands : merged(fetched.value, newestCommands.value, wanted.value);
  });
  const next = fetched.value?.next ?? null;
  return {
    rows,
    hasOlder: next !== null,
    isLoading: isLoading.value,
    problem: problem.value,
    older: () => void load(next),
  };
}

/**
 * What was fetched, with the stream's later word on each command and those that came since.
 * @param live the stream's; of these only what belongs to the fetched part of the list, so that no gap is hidden
 */
export function merged(
  { commands, next }: Fetched,
  live: readonly CommandWire[],
  query: Omit<CommandsQuery, 'day'>,
): readonly CommandWire[] {
  const last = commands.at(-1);
  const reaches = (command: CommandWire) => next === null || !last || newestFirst(command, last) <= 0;
  const all = new Map(commands.map((command) => [command.id, command]));
  for (const command of live) if (all.has(command.id) || reaches(command)) all.set(command.id, command);
  return [...all.values()].filter((command) => passes(command, query)).sort(newestFirst);
}

function passes(command: CommandWire, { device, verdict, principal }: Omit<CommandsQuery, 'day'>): boolean {
  return (
    (device === '' || command.device === device) &&
    (verdict === '' || command.verdict === verdict) &&
    (principal === '' || command.principal === principal)
  );
}

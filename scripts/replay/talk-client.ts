import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type Exit, startProgram } from '../support/programs.ts';

const eventSchema = z.looseObject({ event: z.string(), id: z.string() });

/** One line that a command of the client printed. */
export type ClientLine = z.output<typeof eventSchema>;

/** How often what it printed is looked at, in ms. */
const LOOK_MS = 20;

/** An event that does not come within this time, in ms, does not come. */
const PATIENCE_MS = 60_000;

/** A command of the client that runs, and what it prints: JSON lines. */
export interface ClientProgram {
  readonly exited: Promise<Exit>;
  readonly stderr: () => string;
  /** The id of the first wish that it spoke of. */
  readonly wishId: string;
  /** Whether it has printed such an event. */
  has(event: string): boolean;
  /** The verdicts so far. */
  endedAs(): string;
  /** Waits until it has printed such an event. @throws Error where it ends without one */
  event(event: string, where?: (line: ClientLine) => boolean): Promise<ClientLine>;
  kill(): Promise<Exit>;
}

/** Starts one. */
export function startClient(args: readonly string[]): ClientProgram {
  const program = startProgram('gateway/cli.js', args);
  const lines = (): ClientLine[] =>
    program
      .stdout()
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => eventSchema.safeParse(parsed(line)).data ?? []);
  let ended = false;
  const exited = program.exited.then((exit) => {
    ended = true;
    return exit;
  });
  return {
    exited,
    stderr: program.stderr,
    get wishId() {
      return lines()[0]?.id ?? '';
    },
    has: (event) => lines().some((line) => line.event === event),
    endedAs: () =>
      lines()
        .filter(({ event }) => event === 'ended')
        .map((line) => String(line['ended']))
        .join(', '),
    async event(event, where = () => true) {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const found = lines().find((line) => line.event === event && where(line));
        if (found) return found;
        if (ended || performance.now() > until) {
          throw new Error(`readback ${args.join(' ')} did not say "${event}": ${program.stdout()}${program.stderr()}`);
        }
        await delay(LOOK_MS);
      }
    },
    kill: () => program.end('SIGKILL'),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

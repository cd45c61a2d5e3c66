import * as z from 'zod';
import type { Commands } from '../actuation/commands.ts';
import type { Actuation } from '../domain/actuation.ts';
import type { PastTask } from '../domain/history.ts';
import { VERDICTS } from '../domain/verdict.ts';
import type { CommandView } from './command-view.ts';
import { isOwn, type Reader, sees, whose } from './reader.ts';
import type { CommandsWire, CommandWire } from './wire.ts';

/** What can be asked of a list of commands. */
export const querySchema = z.strictObject({
  device: z.string().optional(),
  verdict: z.enum(VERDICTS).optional(),
  principal: z.string().optional(),
  before: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  day: z.iso.date().optional(),
});

export type ListQuery = z.output<typeof querySchema>;

/** The newest that ended and those under way that a page is told of when it opens; it fetches the others as it needs them. */
const RECENT = 50;
const OPEN = 200;

/** Finds commands for readers: each is told of those that it may see. */
export class CommandList {
  readonly #commands: Commands;
  readonly #view: CommandView;

  constructor(commands: Commands, view: CommandView) {
    this.#commands = commands;
    this.#view = view;
  }

  /** One page of those that fit, newest first, and where the next one begins. */
  async page(reader: Reader, query: ListQuery): Promise<Pick<CommandsWire, 'commands' | 'next'>> {
    if (query.day !== undefined) return this.#pastPage(reader, query, query.day);
    const { limit, before } = query;
    const found = await this.#owned(reader, query);
    const shown = found.slice(0, limit);
    const questions = before === undefined ? await this.#questions(reader, (each) => fits(each, query)) : [];
    return {
      commands: await this.#told([...questions, ...shown], reader),
      next: found.length > limit ? (shown.at(-1)?.taskId ?? null) : null,
    };
  }

  /** Those under way and the newest that ended; each once, newest first but for the questions of others. */
  async present(reader: Reader): Promise<readonly CommandWire[]> {
    const principal = whose(reader);
    const [questions, open, recent] = await Promise.all([
      this.#questions(reader, () => true),
      this.#commands.list({ principal, open: true, limit: OPEN }),
      this.#commands.list({ principal, open: false, limit: RECENT }),
    ]);
    // One that ended between the two is in both, and its end is the later word.
    const byId = new Map([...questions, ...open, ...recent].map((each) => [each.taskId, each]));
    return this.#told([...byId.values()], reader);
  }

  /**
   * One command that the reader may see, and what came after it.
   * @param day of which it is history; undefined: one that is still kept as a task
   */
  async find(reader: Reader, id: string, day: string | undefined): Promise<PastTask | undefined> {
    if (day !== undefined) {
      const past = await this.#commands.history(day, null);
      return past.find(({ actuation }) => actuation.taskId === id && sees(reader, actuation));
    }
    const actuation = await this.#commands.get(id, null);
    if (!actuation || !sees(reader, actuation)) return undefined;
    return { actuation, aftermath: await this.#commands.aftermath(id, null) };
  }

  /** One more than fits on the page, which tells whether there is another. */
  async #owned(reader: Reader, query: ListQuery): Promise<readonly Actuation[]> {
    const { device: deviceId, verdict, before: after, limit } = query;
    const principal = whose(reader) ?? query.principal ?? null;
    if (query.principal !== undefined && principal !== query.principal) return [];
    return this.#commands.list({
      principal,
      limit: limit + 1,
      ...(deviceId !== undefined && { deviceId }),
      ...(verdict !== undefined && { verdict }),
      ...(after !== undefined && { after }),
    });
  }

  /** The questions that wait for an answer on commands that are not the reader's own. */
  async #questions(reader: Reader, wanted: (actuation: Actuation) => boolean): Promise<readonly Actuation[]> {
    if (!reader.can.includes('approve')) return [];
    const waiting = await this.#commands.waiting();
    return waiting.filter((each) => !isOwn(reader, each) && wanted(each)).reverse();
  }

  async #pastPage(reader: Reader, query: ListQuery, day: string): Promise<Pick<CommandsWire, 'commands' | 'next'>> {
    const past = await this.#commands.history(day, whose(reader));
    const fitting = past.filter(({ actuation }) => fits(actuation, query));
    const from = query.before === undefined ? 0 : placeAfter(fitting, query.before);
    const shown = fitting.slice(from, from + query.limit);
    return {
      commands: shown.map((each) => this.#view.past(each, reader)),
      next: from + query.limit < fitting.length ? (shown.at(-1)?.actuation.taskId ?? null) : null,
    };
  }

  #told(actuations: readonly Actuation[], reader: Reader): Promise<readonly CommandWire[]> {
    return Promise.all(actuations.map((each) => this.#view.now(each, reader)));
  }
}

function fits(actuation: Actuation, { device, verdict, principal }: ListQuery): boolean {
  if (device !== undefined && actuation.deviceId !== device) return false;
  if (principal !== undefined && actuation.principal !== principal) return false;
  return verdict === undefined || (actuation.outcome?.type === 'verdict' && actuation.outcome.verdict === verdict);
}

/** Nothing comes after one that is unknown. */
function placeAfter(past: readonly PastTask[], taskId: string): number {
  const place = past.findIndex(({ actuation }) => actuation.taskId === taskId);
  return place < 0 ? past.length : place + 1;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actuation } from '../domain/actuation.ts';
import { type AgeMark, marked } from '../domain/age.ts';
import type { Aftermath } from '../domain/drift.ts';
import { messageOf } from '../domain/errors.ts';
import type { Habit } from '../domain/habit.ts';
import type { History } from '../domain/history.ts';
import type { Log } from '../domain/log.ts';
import { isOld, mayLeave, type Retained, type Retention } from '../domain/retention.ts';
import type { Collection, TaskStore } from '../domain/store.ts';
import type { Clock } from '../domain/time.ts';
import { deviceOfHabit } from './habits.ts';

/** Pause between two passes, in ms. */
const PASS_MS = 60_000;

/** Tasks that leave in one go: two or three milliseconds of work, and one write and sync each for history and store. */
const BITE = 20;

/** By how much ages may be told too small, as part of `keepMs`, and at most, in ms. */
const COARSE = { part: 1 / 50, most: 3_600_000 } as const;

/** More habits than this many are kept only of devices that are there. */
const MOST_HABITS = 1_000;

const MARKS = 'marks';

export interface PruningOptions {
  readonly tasks: TaskStore;
  readonly aftermaths: Collection<Aftermath>;
  readonly habits: Collection<Habit>;
  readonly ages: Collection<{ readonly marks: readonly AgeMark[] }>;
  readonly history: History;
  /** Whether there is such a device just now. */
  readonly isDevice: (deviceId: string) => boolean;
  readonly retention: Retention;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Bounds what the gateway keeps: settled tasks that are old, or too many, go into history and then out of the store; the
 * oldest history goes too. A crash in between leaves a task in both places, never in none. Wall clocks have no say in it.
 */
export class Pruning {
  readonly #options: PruningOptions;
  #startedMono = 0;
  #cancelPass: () => void = () => {};
  #pass: Promise<void> | null = null;
  #stopped = false;
  /** Tasks that are in history, and whose removal has failed so far. */
  readonly #copied = new Set<string>();
  #mayHaveOrphans = true;
  /** The failure that was told last: a full disk is not told of every minute. */
  #told = '';

  constructor(options: PruningOptions) {
    this.#options = options;
  }

  start(): void {
    this.#startedMono = this.#options.clock.now().mono;
    this.#plan();
  }

  /** Resolves once the bite that is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPass();
    await this.#pass;
  }

  #plan(): void {
    const { clock } = this.#options;
    this.#cancelPass = clock.at(clock.now().mono + PASS_MS, () => {
      this.#pass = this.#run().finally(() => {
        this.#pass = null;
        if (!this.#stopped) this.#plan();
      });
    });
  }

  async #run(): Promise<void> {
    const { history, retention, log } = this.#options;
    try {
      await this.#mark();
      const tasks = await this.#letOldGo();
      const days = await history.trim(retention.history);
      if (this.#mayHaveOrphans) await this.#dropOrphans();
      await this.#dropHabits();
      if (tasks > 0 || days.length > 0) log.info({ tasks, days }, 'what is old has left the store');
      this.#told = '';
    } catch (error) {
      this.#mayHaveOrphans = true;
      const message = messageOf(error);
      if (message !== this.#told) log.warn({ error: message }, 'what is old could not leave the store; trying again');
      this.#told = message;
    }
  }

  async #mark(): Promise<void> {
    const { ages, clock, retention } = this.#options;
    const before = this.#marks();
    const everyMs = Math.min(COARSE.most, retention.keepMs * COARSE.part);
    const marks = marked(before, { boot: clock.boot, mono: clock.now().mono }, everyMs, retention.keepMs);
    if (marks !== before) await ages.put(MARKS, { marks });
  }

  /** Goes through the oldest, bite by bite, as long as there are some that should go. @returns how many went */
  async #letOldGo(): Promise<number> {
    const { tasks } = this.#options;
    let gone = 0;
    let after: string | undefined;
    while (!this.#stopped) {
      const page = { open: false, oldestFirst: true, limit: BITE, ...(after !== undefined && { after }) } as const;
      const { leaving, staying, due } = this.#sort(await tasks.list(page), await tasks.count());
      if (leaving.length > 0) await this.#move(leaving);
      if (!due) break;
      gone += leaving.length;
      after = staying.at(-1)?.taskId ?? after;
      await nextTurn();
    }
    return gone;
  }

  /** `due`: some should go, whether they may already or not. */
  #sort(oldest: readonly Actuation[], count: number) {
    const { clock, retention } = this.#options;
    const now = { boot: clock.boot, mono: clock.now().mono };
    const retained: Retained = { marks: this.#marks(), now, startedMono: this.#startedMono };
    const leaving: Actuation[] = [];
    const staying: Actuation[] = [];
    let due = false;
    for (const task of oldest) {
      const isTooMany = count - leaving.length > retention.keepAtMost;
      const isDue = isTooMany || isOld(task, retention.keepMs, retained);
      due ||= isDue;
      (isDue && mayLeave(task, retained) ? leaving : staying).push(task);
    }
    return { leaving, staying, due };
  }

  async #move(leaving: readonly Actuation[]): Promise<void> {
    const { tasks, aftermaths, history } = this.#options;
    const fresh = leaving.filter(({ taskId }) => !this.#copied.has(taskId));
    const aftermathOf = (taskId: string) => aftermaths.get(taskId)?.events ?? [];
    await history.append(fresh.map((actuation) => ({ actuation, aftermath: aftermathOf(actuation.taskId) })));
    const ids = leaving.map(({ taskId }) => taskId);
    for (const id of ids) this.#copied.add(id);
    await tasks.remove(ids);
    await aftermaths.remove(ids.filter((id) => aftermaths.get(id) !== undefined));
    for (const id of ids) this.#copied.delete(id);
  }

  /** A crash between two removals leaves the aftermath of a task that is gone. */
  async #dropOrphans(): Promise<void> {
    const { tasks, aftermaths } = this.#options;
    const orphans: string[] = [];
    for (const taskId of [...aftermaths.keys()]) {
      if ((await tasks.get(taskId)) === undefined) orphans.push(taskId);
    }
    if (orphans.length > 0) await aftermaths.remove(orphans);
    this.#mayHaveOrphans = false;
  }

  async #dropHabits(): Promise<void> {
    const { habits, isDevice } = this.#options;
    if (habits.size <= MOST_HABITS) return;
    const strange = [...habits.keys()].filter((key) => !isDevice(deviceOfHabit(key)));
    if (strange.length > 0) await habits.remove(strange);
  }

  #marks(): readonly AgeMark[] {
    return this.#options.ages.get(MARKS)?.marks ?? [];
  }
}

import type { Actuation } from '../domain/actuation.ts';
import type { ActuationEvent, Effect } from '../domain/events.ts';
import { isMilestone } from '../domain/milestone.ts';
import { step } from '../domain/step.ts';
import type { TaskStore } from '../domain/store.ts';
import type { Clock } from '../domain/time.ts';

/** Pause before a record that could not be stored is tried again, in ms. */
const RETRY_MS = 1_000;

/** How long a question that was asked before the deadline may still be answered after it, in ms and of the deadline. */
const LAST_ANSWER = { most: 1_000, part: 0.1 } as const;

/** What a live task needs of the engine round it. */
export interface TaskHost {
  readonly store: TaskStore;
  readonly clock: Clock;
  /** The intent is on disk: send now. */
  send(task: LiveTask, wants: Extract<Effect, { type: 'send' }>['wants']): void;
  ask(task: LiveTask, fields: readonly string[]): void;
  /** Resolves with the end of the question that the device has not answered yet; null where none is open. */
  openRead(task: LiveTask): Promise<void> | null;
  /** A new state may be shown. */
  shown(task: LiveTask, actuation: Actuation): void;
  storeFailed(task: LiveTask, error: unknown): void;
}

/**
 * One open command at work. It holds the latest state in memory; `visible` is what others may be told, which never runs
 * ahead of the disk. When the disk fails, the command waits: nothing is sent and no verdict is told until it is stored.
 */
export class LiveTask {
  readonly #host: TaskHost;
  readonly #afterWrite: (() => void)[] = [];
  #current: Actuation;
  #visible: Actuation;
  #unsaved = false;
  #writing: Promise<void> | null = null;
  #cancelWake: () => void = () => {};
  /** A first send was decided and waits for its intent to be on disk. */
  #held = false;
  #stopped = false;

  /** @param stored a record that is on disk already */
  constructor(host: TaskHost, stored: Actuation) {
    this.#host = host;
    this.#current = stored;
    this.#visible = stored;
  }

  get id(): string {
    return this.#current.taskId;
  }

  get current(): Actuation {
    return this.#current;
  }

  get visible(): Actuation {
    return this.#visible;
  }

  /** Lets an event happen to the command. */
  apply(event: ActuationEvent): void {
    if (this.#stopped) return;
    const before = this.#current;
    const { actuation, effects } = step(before, event);
    this.#current = actuation;
    this.#setWake(effects);
    if (actuation === before) return;
    for (const effect of effects) this.#perform(effect);
    if (isMilestone(before, actuation)) this.#save();
    else if (!this.#writing) this.#show(actuation);
  }

  /** Stops the tracking; a send whose intent is still on its way to the disk is not begun any more. */
  cancel(): void {
    this.apply({ type: 'cancelled', at: this.#host.clock.now(), held: this.#held });
  }

  /** Resolves once everything that has happened so far is on disk and visible. */
  async flushed(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Stops timers and waits for the record to be on disk; the command goes on at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelWake();
    await this.#writing;
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'ask':
        this.#host.ask(this, effect.fields);
        return;
      case 'send':
        // The record of this very step is the intent; a cancellation may overtake it on the way to the disk.
        this.#held = this.#current.sentAt === null;
        this.#afterWrite.push(() => {
          this.#held = false;
          if (!this.#current.outcome) this.#host.send(this, effect.wants);
        });
        return;
      case 'wake':
        return;
    }
  }

  #setWake(effects: readonly Effect[]): void {
    const wake = effects.find((effect) => effect.type === 'wake');
    if (!wake && !this.#current.outcome) return;
    this.#cancelWake();
    this.#cancelWake = wake ? this.#host.clock.at(wake.mono, () => void this.#tick()) : () => {};
  }

  /** Lets time be looked at. The last read before a deadline is given a moment to come in: what it tells counts. */
  async #tick(): Promise<void> {
    const { clock } = this.#host;
    const isLast = clock.now().mono >= (this.#current.deadline ?? Number.POSITIVE_INFINITY);
    const open = isLast ? this.#host.openRead(this) : null;
    const patience = Math.min(LAST_ANSWER.most, LAST_ANSWER.part * this.#current.rules.deadlineMs);
    if (open !== null) await Promise.race([open, this.#pause(patience)]);
    this.apply({ type: 'tick', at: clock.now() });
  }

  #save(): void {
    this.#unsaved = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** Writes the latest state until it is on disk, however often the disk refuses, and then shows it. */
  async #write(): Promise<void> {
    while (this.#unsaved) {
      this.#unsaved = false;
      const actuation = this.#current;
      const effects = this.#afterWrite.splice(0);
      try {
        await this.#host.store.put(actuation);
      } catch (error) {
        this.#host.storeFailed(this, error);
        this.#unsaved = true;
        this.#afterWrite.unshift(...effects);
        if (this.#stopped) return;
        await this.#pause(RETRY_MS);
        continue;
      }
      for (const effect of effects) effect();
      this.#show(actuation);
      // What changed meanwhile without being worth a write may be shown too; showing it may bring more to write.
      if (!this.#unsaved && this.#visible !== this.#current) this.#show(this.#current);
    }
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#host;
    return new Promise((resolve) => {
      clock.at(clock.now().mono + ms, resolve);
    });
  }

  #show(actuation: Actuation): void {
    this.#visible = actuation;
    this.#host.shown(this, actuation);
  }
}

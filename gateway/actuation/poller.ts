import type { Actuation } from '../domain/actuation.ts';
import type { Device, ReadOutcome } from '../domain/device.ts';
import { messageOf } from '../domain/errors.ts';
import type { Window } from '../domain/habit.ts';
import { settleDue } from '../domain/judge.ts';
import type { Clock } from '../domain/time.ts';
import type { Habits } from './habits.ts';
import type { LiveTask } from './live-task.ts';
import { nextReadAt } from './poll-plan.ts';

/** Bounds of the time that the last read before the deadline is given: in ms, and as parts of the deadline. */
const LEAD = { leastPart: 1 / 200, mostPart: 1 / 4, mostMs: 2_000 } as const;

/** What a poller needs of the engine. */
export interface PollHost {
  readonly clock: Clock;
  readonly habits: Habits;
}

/** The polling of one command. */
interface Session {
  readonly task: LiveTask;
  begun: number;
  lastBegan: number | null;
  reading: boolean;
}

/** Asks a device that does not speak by itself, for as long as one of its commands is being verified. */
export class Poller {
  readonly #device: Device;
  readonly #clock: Clock;
  readonly #habits: Habits;
  #session: Session | null = null;
  #cancelTimer: () => void = () => {};
  #open: { readonly task: LiveTask; readonly end: Promise<void> } | null = null;
  /** Usual duration of a read, in ms, as an average that forgets. */
  #usualMs = 10;

  constructor(device: Device, { clock, habits }: PollHost) {
    this.#device = device;
    this.#clock = clock;
    this.#habits = habits;
  }

  /** The task's state has changed: begins, re-plans or ends the polling. */
  follow(task: LiveTask): void {
    if (!isPolling(task)) {
      if (this.#session?.task === task) this.stop();
      return;
    }
    if (this.#session?.task !== task) this.#session = { task, begun: 0, lastBegan: null, reading: false };
    this.#plan(this.#session);
  }

  /** Reads at once, as an extra question; its answer counts like any other. */
  async ask(task: LiveTask, fields: readonly string[]): Promise<void> {
    const end = this.#read(task, fields);
    this.#open = { task, end };
    await end;
    if (this.#open?.end === end) this.#open = null;
  }

  /** The latest question of this command while it is not answered. */
  openRead(task: LiveTask): Promise<void> | null {
    return this.#open?.task === task ? this.#open.end : null;
  }

  stop(): void {
    this.#session = null;
    this.#cancelTimer();
  }

  #plan(session: Session): void {
    const { sentAt, deadline, rules, fields } = session.task.current;
    if (session.reading || session !== this.#session || !sentAt || deadline === null) return;
    const dues = fields.map((track) => settleDue(session.task.current, track)).filter((due) => due !== null);
    const time = nextReadAt({
      sentAt: sentAt.mono,
      deadline,
      gapsMs: rules.pollMs,
      begun: session.begun,
      lastBegan: session.lastBegan,
      leadMs: this.#leadMs(rules.deadlineMs),
      settleDue: dues.length > 0 ? Math.max(...dues) : null,
      expected: this.#expected(session.task.current),
    });
    this.#cancelTimer();
    if (Number.isFinite(time)) this.#cancelTimer = this.#clock.at(time, () => void this.#poll(session));
  }

  async #read(task: LiveTask, fields: readonly string[]): Promise<void> {
    const outcome = await this.#device.read(fields, true).catch(unanswered);
    if (!outcome.answered) task.apply({ type: 'read_failed', at: this.#clock.now(), detail: outcome.detail });
  }

  /** When the fields that have not got there yet usually do, no denser than the device may be spoken to. */
  #expected({ deviceId, fields }: Actuation): Window | null {
    const open = fields.filter((track) => !track.sawWanted && track.readback.askable && !track.readback.push);
    const window = this.#habits.expected(deviceId, open);
    return window && { ...window, stepMs: Math.max(window.stepMs, this.#device.spec.minGapMs) };
  }

  /** Three times as long as a read usually takes. */
  #leadMs(deadlineMs: number): number {
    const leadMs = Math.max(3 * this.#usualMs, LEAD.leastPart * deadlineMs);
    return Math.min(leadMs, LEAD.mostMs, LEAD.mostPart * deadlineMs);
  }

  async #poll(session: Session): Promise<void> {
    const { task } = session;
    const began = this.#clock.now().mono;
    session.reading = true;
    session.begun += 1;
    session.lastBegan = began;
    await this.ask(task, [...polledFields(task), ...task.current.guards.map((guard) => guard.field)]);
    this.#usualMs = 0.7 * this.#usualMs + 0.3 * (this.#clock.now().mono - began);
    session.reading = false;
    // While its verdict waits for the disk, a settled command is not followed any more but not released either.
    if (isPolling(task)) this.#plan(session);
  }
}

/** A device that throws breaks its promise; for the command it has simply not answered. */
function unanswered(error: unknown): ReadOutcome {
  return { answered: false, detail: messageOf(error) };
}

function isPolling(task: LiveTask): boolean {
  return task.current.phase === 'verifying' && polledFields(task).length > 0;
}

function polledFields(task: LiveTask): string[] {
  return task.current.fields
    .filter((track) => track.readback.askable && !track.readback.push && !track.ruling)
    .map((track) => track.field);
}

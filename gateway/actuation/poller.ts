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
  cancelTimer: () => void;
}

/** Asks a device that does not speak by itself, for as long as commands of it are being verified. */
export class Poller {
  readonly #device: Device;
  readonly #clock: Clock;
  readonly #habits: Habits;
  readonly #sessions = new Map<LiveTask, Session>();
  readonly #open = new Map<LiveTask, Promise<void>>();
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
      this.leave(task);
      return;
    }
    const begun = { task, begun: 0, lastBegan: null, reading: false, cancelTimer: () => {} };
    const session = this.#sessions.get(task) ?? begun;
    this.#sessions.set(task, session);
    this.#plan(session);
  }

  /** Ends the polling of this command. */
  leave(task: LiveTask): void {
    this.#sessions.get(task)?.cancelTimer();
    this.#sessions.delete(task);
  }

  /** Reads at once, as an extra question; its answer counts like any other. */
  async ask(task: LiveTask, fields: readonly string[]): Promise<void> {
    const end = this.#read(task, fields);
    this.#open.set(task, end);
    await end;
    if (this.#open.get(task) === end) this.#open.delete(task);
  }

  /** The latest question of this command while it is not answered. */
  openRead(task: LiveTask): Promise<void> | null {
    return this.#open.get(task) ?? null;
  }

  stop(): void {
    for (const task of this.#sessions.keys()) this.leave(task);
  }

  #plan(session: Session): void {
    const { sentAt, deadline, rules, fields } = session.task.current;
    if (session.reading || session !== this.#sessions.get(session.task) || !sentAt || deadline === null) return;
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
    session.cancelTimer();
    if (Number.isFinite(time)) session.cancelTimer = this.#clock.at(time, () => void this.#poll(session));
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

import type { Question } from '../../client/questions.ts';
import type { ClientEvent } from '../../client/task-client.ts';
import type { TaskState } from '../../client/task-state.ts';
import { nameOf, type Wish } from '../../client/wish.ts';
import { EXIT_CODES, endedAs } from './exit-code.ts';

/** What is shown of one wish. */
interface Row {
  wish: Wish;
  task: TaskState | null;
  delay: string | null;
}

/** How wide a bar is, in characters. */
const BAR = 10;

/** The wheel that shows that something still runs; it turns by one with every second's quarter. */
const WHEEL = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇'];
const TURN_MS = 250;

/** Wishes as lines for a terminal: one line each, and the question that is to be answered next. */
export class Board {
  readonly #rows = new Map<string, Row>();
  readonly #questions: Question[] = [];
  #focus = 0;

  /** Takes in what a client tells. */
  hear(event: ClientEvent): void {
    switch (event.type) {
      case 'wish':
      case 'task':
      case 'delayed':
        this.#rows.set(event.wish.id, {
          wish: event.wish,
          task: event.type === 'task' ? event.task : (this.#rows.get(event.wish.id)?.task ?? null),
          delay: event.type === 'delayed' ? event.why : null,
        });
        break;
      case 'question':
        this.#questions.push(event.question);
        break;
      case 'withdrawn':
        this.drop(event.question);
        break;
      case 'notice':
        break;
    }
  }

  /** The question that a key answers; undefined where none waits. */
  get asked(): Question | undefined {
    return this.#questions[this.#focus];
  }

  /** Goes to the next question, or the one before: they may be answered in any order. */
  move(by: 1 | -1): void {
    const { length } = this.#questions;
    if (length > 0) this.#focus = (this.#focus + by + length) % length;
  }

  /** A question is answered, or withdrawn. */
  drop(question: Question): void {
    const place = this.#questions.findIndex(({ wishId, key }) => wishId === question.wishId && key === question.key);
    if (place < 0) return;
    this.#questions.splice(place, 1);
    if (place < this.#focus || this.#focus >= this.#questions.length) this.#focus = Math.max(0, this.#focus - 1);
  }

  /**
   * The lines of now.
   * @param nowMs on the wall clock
   * @param width columns of the terminal: longer lines are cut
   * @param height rows of the terminal: what does not fit is counted, and those that have ended go first
   */
  lines(nowMs: number, width: number, height: number): string[] {
    const rows = [...this.#rows.values()];
    const room = Math.max(1, height - 4);
    const running = rows.filter(({ wish }) => !wish.outcome);
    const shown = rows.length <= room ? rows : running.slice(0, room);
    const lines = shown.map((row) => lineOf(row, nowMs));
    if (shown.length < rows.length) lines.push(`  … ${rows.length - shown.length} more`);
    const { asked } = this;
    if (asked) {
      const of = this.#questions.length > 1 ? `${this.#focus + 1}/${this.#questions.length}, ↑↓ ` : '';
      lines.push(`? ${asked.form.message} [${of}y/n]`);
    }
    return lines.map((line) => ([...line].length > width ? `${[...line].slice(0, width - 1).join('')}…` : line));
  }
}

function lineOf({ wish, task, delay }: Row, nowMs: number): string {
  const name = nameOf(wish.target);
  if (wish.outcome) {
    const ended = endedAs(wish.outcome);
    const mark = EXIT_CODES[ended] === 0 ? '✓' : '✗';
    return `${mark} ${name}  ${ended}  ${span((wish.endedAt ?? nowMs) - wish.madeAt)}  ${firstLine(wish.text)}`;
  }
  const wheel = WHEEL[Math.floor(nowMs / TURN_MS) % WHEEL.length];
  const elapsedMs = nowMs - wish.madeAt;
  if (!task) {
    const left = span(Math.max(0, wish.madeAt + wish.withinMs - nowMs));
    const why = delay === null ? '' : `, ${left} left: ${delay}`;
    return `${wheel} ${name}  ${wish.stage === 'wished' ? 'not delivered yet' : 'calling'}${why}`;
  }
  return `${wheel} ${name}  ${task.status}  ${timing(elapsedMs, task.usualMs)}  ${firstLine(task.message)}`;
}

/** Elapsed and expected time, and how much of it is over; the bar is never full before the end. */
function timing(elapsedMs: number, usualMs: number | null): string {
  if (usualMs === null) return span(elapsedMs);
  const full = Math.min(BAR - 1, Math.floor((elapsedMs / usualMs) * BAR));
  return `${span(elapsedMs)} of about ${span(usualMs)} ${'█'.repeat(full)}${'░'.repeat(BAR - full)}`;
}

function span(ms: number): string {
  return ms < 100_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
